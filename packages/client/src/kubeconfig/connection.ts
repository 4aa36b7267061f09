import type { ClusterEntry, ContextEntry, ExecEntry, Kubeconfig, UserEntry } from './kubeconfig.js';
import type { OidcSettings } from './oidc-credentials.js';

/** Bytes that are either given, or in a file that the platform reads. */
export type Material = { readonly data: string } | { readonly file: string };

/** The parameters of a connection to one API server as one user. */
export interface Connection {
  readonly server: string;
  /** CA certificates in PEM; without them, those of the platform are used. */
  readonly certificateAuthority?: Material;
  readonly insecureSkipTlsVerify?: boolean;
  /** The name that the server's certificate must have, if not that of the URL. */
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly credentials: ConnectionCredentials;
  readonly impersonate?: Impersonation;
  /** The default namespace of commands. */
  readonly namespace: string;
}

/** Credentials: a client certificate, a token, a password, or those of a credential plugin or an identity provider. */
export interface ConnectionCredentials {
  readonly clientCertificate?: Material;
  readonly clientKey?: Material;
  readonly token?: string;
  /** Read repeatedly, because it is rotated. Takes precedence over `token`. */
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecEntry & { readonly clusterExtension?: unknown };
  readonly oidc?: OidcSettings;
  /** Saves renewed `oidc` settings to their file: a refresh token may be valid only once. */
  readonly saveOidc?: (settings: OidcSettings) => Promise<void>;
}

/** The user to impersonate. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Overrides from the command line. They take precedence over the file. */
export interface ConnectionOverrides {
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  readonly impersonate?: Impersonation;
}

/** The connection of a kubeconfig's context. Fails with a message for the user if an entry is missing. */
export function connectionOf(config: Kubeconfig, overrides: ConnectionOverrides = {}): Connection {
  const context = contextOf(config, overrides);
  const cluster = clusterOf(config, overrides.cluster ?? context?.cluster);
  const user = userOf(config, userNameOf(config, overrides));
  const server = overrides.server ?? cluster?.server;
  if (!server) throw new Error('invalid configuration: no server found for cluster; try setting KUBECONFIG');
  const impersonate = overrides.impersonate ?? impersonationOf(user);
  return {
    server: withScheme(server),
    ...trustOf(cluster, overrides),
    ...(cluster?.['proxy-url'] && { proxyUrl: cluster['proxy-url'] }),
    ...(cluster?.['disable-compression'] && { disableCompression: true }),
    credentials: credentialsOf(user, cluster, overrides),
    ...(impersonate && { impersonate }),
    namespace: overrides.namespace || context?.namespace || 'default',
  };
}

/** The name of the user in the kubeconfig. */
export function userNameOf(config: Kubeconfig, overrides: ConnectionOverrides = {}): string | undefined {
  return overrides.user ?? contextOf(config, overrides)?.user;
}

function contextOf(config: Kubeconfig, overrides: ConnectionOverrides): ContextEntry | undefined {
  const name = overrides.context ?? config['current-context'];
  if (!name) return undefined;
  const found = config.contexts?.find((entry) => entry.name === name)?.context;
  if (!found) throw new Error(`context ${JSON.stringify(name)} does not exist`);
  return found;
}

function clusterOf(config: Kubeconfig, name: string | undefined): ClusterEntry | undefined {
  if (!name) return undefined;
  const found = config.clusters?.find((entry) => entry.name === name)?.cluster;
  if (!found) throw new Error(`cluster ${JSON.stringify(name)} does not exist`);
  return found;
}

function userOf(config: Kubeconfig, name: string | undefined): UserEntry | undefined {
  if (!name) return undefined;
  const found = config.users?.find((entry) => entry.name === name)?.user;
  if (!found) throw new Error(`auth info ${JSON.stringify(name)} does not exist`);
  return found;
}

function trustOf(cluster: ClusterEntry | undefined, overrides: ConnectionOverrides) {
  const insecure = overrides.insecureSkipTlsVerify ?? cluster?.['insecure-skip-tls-verify'];
  const authority = overrides.certificateAuthority
    ? { file: overrides.certificateAuthority }
    : material(cluster?.['certificate-authority-data'], cluster?.['certificate-authority']);
  const tlsServerName = overrides.tlsServerName ?? cluster?.['tls-server-name'];
  // `--insecure-skip-tls-verify` on the command line takes precedence over the CA of the file.
  const skips = insecure && (!authority || overrides.insecureSkipTlsVerify);
  if (insecure && !skips) throw new Error('specifying a root certificates file with the insecure flag is not allowed');
  return {
    ...(skips ? { insecureSkipTlsVerify: true } : authority && { certificateAuthority: authority }),
    ...(tlsServerName && { tlsServerName }),
  };
}

function credentialsOf(
  user: UserEntry | undefined,
  cluster: ClusterEntry | undefined,
  overrides: ConnectionOverrides,
): ConnectionCredentials {
  const certificate = overrides.clientCertificate
    ? { file: overrides.clientCertificate }
    : material(user?.['client-certificate-data'], user?.['client-certificate']);
  const key = overrides.clientKey
    ? { file: overrides.clientKey }
    : material(user?.['client-key-data'], user?.['client-key']);
  const pair = { ...(certificate && { clientCertificate: certificate }), ...(key && { clientKey: key }) };
  if (overrides.token) return { ...pair, token: overrides.token };
  const username = overrides.username ?? user?.username;
  if (username && !user?.token && !user?.tokenFile)
    return { ...pair, basic: { username, password: overrides.password ?? user?.password ?? '' } };
  const provider = user?.['auth-provider'];
  return {
    ...pair,
    ...(user?.token && { token: user.token }),
    ...(user?.tokenFile && { tokenFile: user.tokenFile }),
    ...(user?.exec && { exec: { ...user.exec, clusterExtension: execExtension(cluster) } }),
    ...(provider?.name === 'oidc' && { oidc: provider.config ?? {} }),
  };
}

/** Cluster information for the credential plugin. */
function execExtension(cluster: ClusterEntry | undefined): unknown {
  return cluster?.extensions?.find(({ name }) => name === 'client.authentication.k8s.io/exec')?.extension;
}

function impersonationOf(user: UserEntry | undefined): Impersonation | undefined {
  if (!user?.as) return undefined;
  return {
    user: user.as,
    ...(user['as-uid'] && { uid: user['as-uid'] }),
    ...(user['as-groups'] && { groups: user['as-groups'] }),
    ...(user['as-user-extra'] && { extra: user['as-user-extra'] }),
  };
}

/** Inline data takes precedence over a file. */
function material(base64: string | undefined, file: string | undefined): Material | undefined {
  if (base64) return { data: new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))) };
  return file ? { file } : undefined;
}

function withScheme(server: string): string {
  const url = /^[a-z]+:\/\//.test(server) ? server : `http://${server}`;
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
