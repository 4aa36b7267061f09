/** A kubeconfig file, as it is written. Unknown fields are preserved. */
export interface Kubeconfig {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly preferences?: Readonly<Record<string, unknown>>;
  readonly clusters?: readonly NamedCluster[];
  readonly users?: readonly NamedUser[];
  readonly contexts?: readonly NamedContext[];
  readonly 'current-context'?: string;
}

/** A cluster and its name. */
export interface NamedCluster {
  readonly name: string;
  readonly cluster: ClusterEntry;
}

/** Address and CA of a cluster. */
export interface ClusterEntry {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[];
}

/** A user and their name. */
export interface NamedUser {
  readonly name: string;
  readonly user: UserEntry;
}

/** The credentials of a user. */
export interface UserEntry {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: ExecEntry;
  readonly 'auth-provider'?: { readonly name: string; readonly config?: Readonly<Record<string, string>> };
}

/** A credential plugin. */
export interface ExecEntry {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  /** Whether it may use the terminal. */
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
}

/** A context and its name. */
export interface NamedContext {
  readonly name: string;
  readonly context: ContextEntry;
}

/** A combination of cluster, user and namespace. */
export interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}
