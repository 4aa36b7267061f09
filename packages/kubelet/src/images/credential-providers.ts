import { type Clock, type Millis, monotonicNow } from '@coracle/base';
import { credentialsFor, type RegistryCredentials } from './registry-credentials.js';

/** Finds credentials for an image outside of the cluster, such as those of a cloud provider. */
export interface CredentialProviders {
  credentialsFor(image: string): Promise<readonly RegistryCredentials[]>;
}

/** One credential provider plugin, as a `CredentialProviderConfig` names it. */
export interface CredentialProvider {
  readonly name: string;
  readonly matchImages: readonly string[];
  readonly defaultCacheDuration: Millis;
  readonly apiVersion: string;
}

/** The response of the program. */
export interface CredentialProviderResponse {
  readonly cacheKeyType?: string;
  readonly cacheDuration?: Millis;
  readonly auth?: Readonly<Record<string, { readonly username?: string; readonly password?: string }>>;
}

export interface CredentialProvidersOptions {
  readonly providers: readonly CredentialProvider[];
  readonly clock: Clock;
  /** Runs the program with a request on its standard input. */
  run(provider: CredentialProvider, image: string): Promise<CredentialProviderResponse>;
  onError(provider: CredentialProvider, error: unknown): void;
}

interface Cached {
  readonly until: Millis;
  readonly credentials: readonly RegistryCredentials[];
}

/** Runs the credential providers whose patterns match an image, and caches their responses for the duration that they state. */
export function createCredentialProviders(options: CredentialProvidersOptions): CredentialProviders {
  const cache = new Map<string, Cached>();
  return {
    async credentialsFor(image) {
      const matching = options.providers.filter(({ matchImages }) => isMatched(image, matchImages));
      const found = await Promise.all(matching.map((provider) => ask(options, cache, { provider, image })));
      return found.flat();
    },
  };
}

function isMatched(image: string, patterns: readonly string[]): boolean {
  return (
    credentialsFor(
      image,
      patterns.map((pattern) => ({ pattern, auth: {} })),
    ).length > 0
  );
}

async function ask(
  { clock, run, onError }: CredentialProvidersOptions,
  cache: Map<string, Cached>,
  { provider, image }: { readonly provider: CredentialProvider; readonly image: string },
): Promise<readonly RegistryCredentials[]> {
  const keys = [image, image.split('/', 1)[0] ?? '', ''].map((key) => `${provider.name}\n${key}`);
  for (const key of keys) {
    const cached = cache.get(key);
    if (cached && cached.until > monotonicNow(clock)) return cached.credentials;
    cache.delete(key);
  }
  try {
    const { auth = {}, cacheKeyType = 'Image', cacheDuration } = await run(provider, image);
    const credentials = Object.entries(auth).map(([pattern, entry]) => ({ pattern, auth: entry }));
    const until = monotonicNow(clock) + (cacheDuration ?? provider.defaultCacheDuration);
    const key = keys[cacheKeyType === 'Global' ? 2 : cacheKeyType === 'Registry' ? 1 : 0] ?? '';
    if (until > monotonicNow(clock)) cache.set(key, { until, credentials });
    return credentials;
  } catch (error) {
    onError(provider, error);
    return [];
  }
}
