import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import {
  type Connection,
  type ConnectionOverrides,
  connectionOf,
  type Kubeconfig,
  mergeKubeconfigs,
  type OidcSettings,
  parseKubeconfig,
  resolveFiles,
  userNameOf,
} from '@coracle/client';
import { saveOidcSettings } from './kubeconfig-writer.js';

export interface KubeconfigFilesOptions {
  /** The only file to read; it must be there. */
  readonly path?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly home?: string;
}

/**
 * The kubeconfig files in order of precedence: the named one, otherwise those of `$KUBECONFIG`, otherwise
 * `~/.kube/config`.
 */
export function kubeconfigPaths(options: KubeconfigFilesOptions = {}): string[] {
  const { path, environment = process.env, home = homedir() } = options;
  if (path) return [path];
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter(Boolean);
  return listed.length > 0 ? [...new Set(listed)] : [join(home, '.kube', 'config')];
}

/** One merged view of all kubeconfig files. A missing file is ignored, unless it was named explicitly. */
export async function loadKubeconfig(options: KubeconfigFilesOptions = {}): Promise<Kubeconfig> {
  const configs = await Promise.all(kubeconfigPaths(options).map((path) => loadFile(path, options.path !== undefined)));
  return mergeKubeconfigs(configs);
}

/** The connection of a command: from kubeconfig and overrides; without these, in a pod, from its service account. */
export async function loadConnection(
  options: KubeconfigFilesOptions & { readonly overrides?: ConnectionOverrides } = {},
): Promise<Connection> {
  const { overrides = {} } = options;
  const config = await loadKubeconfig(options);
  const namesServer = config.clusters?.length || config['current-context'] || overrides.server || overrides.context;
  const inCluster = namesServer ? undefined : await inClusterConnection(options.environment);
  if (!inCluster) return savingTokens(connectionOf(config, overrides), userNameOf(config, overrides), options);
  const { namespace, impersonate, token } = overrides;
  return {
    ...inCluster,
    ...(namespace && { namespace }),
    ...(impersonate && { impersonate }),
    ...(token && { credentials: { token } }),
  };
}

function savingTokens(connection: Connection, user: string | undefined, files: KubeconfigFilesOptions): Connection {
  const { credentials } = connection;
  if (!credentials.oidc || user === undefined) return connection;
  const saveOidc = (settings: OidcSettings) => saveOidcSettings(kubeconfigPaths(files), { user, settings });
  return { ...connection, credentials: { ...credentials, saveOidc } };
}

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The connection of a process in a pod, or `undefined` outside of one. */
export async function inClusterConnection(
  environment: NodeJS.ProcessEnv = process.env,
  folder = accountFolder,
): Promise<Connection | undefined> {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  const tokenFile = join(folder, 'token');
  if (!host || !port || (await textOf(tokenFile)) === undefined) return undefined;
  const authority = join(folder, 'ca.crt');
  const hasAuthority = (await textOf(authority)) !== undefined;
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(hasAuthority && { certificateAuthority: { file: authority } }),
    credentials: { tokenFile },
    namespace: (await textOf(join(folder, 'namespace')))?.trim() || 'default',
  };
}

async function loadFile(path: string, mustExist: boolean): Promise<Kubeconfig> {
  const text = await textOf(path);
  if (text === undefined && mustExist) throw new Error(`stat ${path}: no such file or directory`);
  if (text === undefined || text.trim() === '') return {};
  try {
    return resolveFiles(parseKubeconfig(text), (file) => resolve(dirname(path), file));
  } catch (error) {
    throw new Error(`error loading config file "${path}": ${(error as Error).message}`, { cause: error });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
