import type { Pod, Secret } from '@coracle/api';
import type { AuthConfig } from '@coracle/cri';

/** Credentials for registries, by a pattern of images: `*.example.com:5000/team`. */
export interface RegistryCredentials {
  readonly pattern: string;
  readonly auth: AuthConfig;
}

interface DockerEntry {
  readonly username?: string;
  readonly password?: string;
  /** `username:password` in base64. */
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

const configType = 'kubernetes.io/dockerconfigjson';
const olderType = 'kubernetes.io/dockercfg';

/** The credentials of a pull secret; none if it is of another type or invalid. */
export function credentialsIn({ type, data = {} }: Secret): RegistryCredentials[] {
  const text = type === configType ? data['.dockerconfigjson'] : type === olderType ? data['.dockercfg'] : undefined;
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(atob(text));
    const entries = type === configType ? (parsed as { auths?: object }).auths : parsed;
    return Object.entries((entries ?? {}) as Record<string, DockerEntry>).map(([pattern, entry]) => ({
      pattern,
      auth: authOf(entry),
    }));
  } catch {
    return [];
  }
}

function authOf({ username, password, auth, identitytoken, registrytoken }: DockerEntry): AuthConfig {
  const decoded = auth ? atob(auth) : '';
  const colon = decoded.indexOf(':');
  const user = username ?? (colon > 0 ? decoded.slice(0, colon) : undefined);
  const secret = password ?? (colon > 0 ? decoded.slice(colon + 1) : undefined);
  return {
    ...(user && { username: user }),
    ...(secret && { password: secret }),
    ...(identitytoken && { identityToken: identitytoken }),
    ...(registrytoken && { registryToken: registrytoken }),
  };
}

/** The credentials that match an image, the most specific first. */
export function credentialsFor(image: string, all: readonly RegistryCredentials[]): AuthConfig[] {
  const repository = fullRepository(image);
  const matching = all.filter(({ pattern }) => isFor(pattern, repository));
  return matching.sort((a, b) => b.pattern.length - a.pattern.length).map(({ auth }) => auth);
}

const defaultRegistry = 'docker.io';

/** Includes the registry, without tag and digest. */
function fullRepository(image: string): string {
  const withoutDigest = image.split('@', 1)[0] ?? '';
  const slash = withoutDigest.lastIndexOf('/');
  const colon = withoutDigest.indexOf(':', slash + 1);
  const name = colon === -1 ? withoutDigest : withoutDigest.slice(0, colon);
  const [first = ''] = name.split('/', 1);
  const hasRegistry = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  return hasRegistry ? name : `${defaultRegistry}/${name.includes('/') ? name : `library/${name}`}`;
}

function isFor(pattern: string, repository: string): boolean {
  const plain = pattern.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const [host = '', ...path] = plain.split('/');
  const [imageHost = '', ...imagePath] = repository.split('/');
  if (!hostMatches(host.replace(/^(index|registry-1)\.docker\.io$/, defaultRegistry), imageHost)) return false;
  // The key for Docker Hub includes the version of its API.
  const pathPrefix = path.join('/').replace(/^v[12]$/, '');
  return imagePath.join('/').startsWith(pathPrefix);
}

/** `*` matches within one part of a host name. Ports must be equal. */
function hostMatches(pattern: string, host: string): boolean {
  const [name = '', port] = pattern.split(':');
  const [imageName = '', imagePort] = host.split(':');
  if (port !== imagePort) return false;
  const expression = name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^.]*');
  return new RegExp(`^${expression}$`).test(imageName);
}

/** The names of the pod's pull secrets. */
export function pullSecretsOf({ spec }: Pod): string[] {
  return (spec?.imagePullSecrets ?? []).map(({ name = '' }) => name).filter((name) => name !== '');
}
