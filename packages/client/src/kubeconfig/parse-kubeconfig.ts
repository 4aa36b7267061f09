import { parseYaml } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { Kubeconfig } from './kubeconfig.js';

/** The fields that name files, which are relative to the kubeconfig that names them. */
const clusterFiles = ['certificate-authority'] as const;
const userFiles = ['client-certificate', 'client-key', 'tokenFile'] as const;

/** Parses a kubeconfig in YAML or JSON. Throws if it is invalid. */
export function parseKubeconfig(text: string): Kubeconfig {
  const value = parseYaml(text) ?? {};
  if (!isRecord(value)) throw new Error('a kubeconfig must be a mapping');
  const { kind, apiVersion } = value;
  if (kind !== undefined && kind !== 'Config') throw new Error(`no kind ${JSON.stringify(kind)} is a kubeconfig`);
  if (apiVersion !== undefined && apiVersion !== 'v1')
    throw new Error(`no kubeconfig has version ${JSON.stringify(apiVersion)}`);
  for (const field of ['clusters', 'users', 'contexts']) checkEntries(value[field], field);
  return value;
}

/** The same kubeconfig with absolute file names, by the rules of the platform. */
export function resolveFiles(config: Kubeconfig, absolute: (path: string) => string): Kubeconfig {
  return {
    ...config,
    ...(config.clusters && {
      clusters: config.clusters.map((entry) => ({
        ...entry,
        cluster: withFiles(entry.cluster, clusterFiles, absolute),
      })),
    }),
    ...(config.users && {
      users: config.users.map((entry) => ({
        ...entry,
        user: withCommand(withFiles(entry.user, userFiles, absolute), absolute),
      })),
    }),
  };
}

function checkEntries(entries: unknown, field: string): void {
  if (entries === undefined || entries === null) return;
  if (!Array.isArray(entries)) throw new Error(`${field} of a kubeconfig must be a list`);
  const part = field.slice(0, -1);
  for (const entry of entries) {
    if (!isRecord(entry) || typeof entry['name'] !== 'string' || !isRecord(entry[part]))
      throw new Error(`${field} of a kubeconfig must be a list of entries with a name and a ${part}`);
  }
}

function withFiles<Entry extends object>(
  entry: Entry,
  fields: readonly (keyof Entry)[],
  absolute: (path: string) => string,
): Entry {
  const resolved = { ...entry };
  for (const field of fields) {
    const path = resolved[field];
    if (typeof path === 'string' && path !== '') resolved[field] = absolute(path) as Entry[typeof field];
  }
  return resolved;
}

/** A command with a slash in it is a path; one without is looked for where commands are. */
function withCommand<User extends { readonly exec?: { readonly command: string } }>(
  user: User,
  absolute: (path: string) => string,
): User {
  if (!user.exec?.command.includes('/')) return user;
  return { ...user, exec: { ...user.exec, command: absolute(user.exec.command) } };
}
