import { unauthorized } from '@coracle/apimachinery';
import { type Clock, isRecord, type Logger, type Millis, messageOf, RecentMap } from '@coracle/base';
import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Outbound } from '../../outbound/outbound.js';
import type { Authenticated } from '../authenticator.js';
import { badToken, type TokenAuthenticator } from '../bearer-token.js';
import { type Claims, claimMapper } from './claim-mapper.js';
import type { JwtConfig } from './jwt-config.js';

export interface JwtDependencies {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the server's own audiences are, which these tokens are good for. */
  readonly apiAudiences: readonly string[];
  /** `RS256` and so on; all that are asymmetric unless stated. */
  readonly algorithms?: readonly string[];
}

/** No shared secrets: an issuer's public key must never be used as one. */
const asymmetric = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];

const rememberMs: Millis = 10_000;
const rememberAtMost = 4_096;

/** Tokens of one issuer, whose keys are fetched from where its discovery document says. */
export function jwtAuthenticator(config: JwtConfig, deps: JwtDependencies): TokenAuthenticator {
  const map = claimMapper(config);
  const keys = new IssuerKeys(config, deps);
  const { url, audiences } = config.issuer;
  const algorithms = [...(deps.algorithms ?? asymmetric)];
  const remembered = new RecentMap<string, { readonly until: Millis; readonly user: Authenticated }>(rememberAtMost);
  const verify = async (token: string): Promise<Claims> => {
    const currentDate = new Date(deps.clock.now());
    const { payload } = await keys.use((set) =>
      jwtVerify(token, set, { algorithms, issuer: url, audience: [...audiences], currentDate }),
    );
    return payload;
  };
  return {
    name: 'JWT',
    async authenticateToken(token, audiences = deps.apiAudiences) {
      const good = deps.apiAudiences.filter((audience) => audiences.includes(audience));
      if (issuerOf(token) !== url || good.length === 0) return undefined;
      const cachedUser = remembered.get(token);
      if (cachedUser && cachedUser.until > deps.clock.now()) return { ...cachedUser.user, audiences: good };
      const claims = await verify(token).catch((error: unknown) => {
        throw badToken(`oidc: verify token: ${messageOf(error)}`);
      });
      const user: Authenticated = { user: map(claims) };
      const expires = typeof claims['exp'] === 'number' ? claims['exp'] * 1000 : 0;
      remembered.set(token, { until: Math.min(deps.clock.now() + rememberMs, expires), user });
      return { ...user, audiences: good };
    },
  };
}

/** The issuer in the token, unverified: it selects the authenticator. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

const fetchBounds = { timeoutMs: 10_000, maxBytes: 1024 * 1024 } as const;
/** A token with an unknown key makes the server fetch the keys again, at most this often: any client can send one. */
const refetchMs: Millis = 10_000;

/** The public keys of an issuer, fetched when they are first needed and again when a key is unknown. */
class IssuerKeys {
  readonly #config: JwtConfig;
  readonly #deps: JwtDependencies;
  #set: Promise<ReturnType<typeof createLocalJWKSet>> | undefined;
  #fetchedAt: Millis = Number.NEGATIVE_INFINITY;

  constructor(config: JwtConfig, deps: JwtDependencies) {
    this.#config = config;
    this.#deps = deps;
  }

  async use<T>(check: (set: ReturnType<typeof createLocalJWKSet>) => Promise<T>): Promise<T> {
    try {
      return await check(await this.#current());
    } catch (error) {
      const isUnknown =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
      if (!isUnknown || this.#deps.clock.now() - this.#fetchedAt < refetchMs) throw error;
      this.#set = undefined;
      return await check(await this.#current());
    }
  }

  #current(): Promise<ReturnType<typeof createLocalJWKSet>> {
    if (!this.#set && this.#deps.clock.now() - this.#fetchedAt < refetchMs) throw unauthorized();
    this.#set ??= this.#fetch();
    return this.#set;
  }

  async #fetch(): Promise<ReturnType<typeof createLocalJWKSet>> {
    this.#fetchedAt = this.#deps.clock.now();
    try {
      return createLocalJWKSet(await this.#fetchKeys());
    } catch (error) {
      this.#set = undefined;
      this.#deps.logger.error('the keys of a token issuer could not be fetched', {
        issuer: this.#config.issuer.url,
        error,
      });
      throw error;
    }
  }

  async #fetchKeys(): Promise<JSONWebKeySet> {
    const { url, discoveryURL } = this.#config.issuer;
    const document = await this.#get(discoveryURL || `${url.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const { issuer, jwks_uri: keysUrl } = document;
    if (issuer !== url)
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(url)} got ${JSON.stringify(issuer)}`,
      );
    if (typeof keysUrl !== 'string' || !keysUrl.startsWith('https://'))
      throw new Error('oidc: the discovery document names no jwks_uri over https');
    const { keys } = await this.#get(keysUrl);
    return { keys: Array.isArray(keys) ? keys.filter(isRecord) : [] };
  }

  async #get(address: string): Promise<Readonly<Record<string, unknown>>> {
    const { certificateAuthority } = this.#config.issuer;
    const { origin, pathname, search } = new URL(address);
    const answer = await this.#deps.outbound.ask(
      { kind: 'url', url: origin, ...(certificateAuthority && { tls: { caBundle: certificateAuthority } }) },
      { method: 'GET', path: pathname, query: search.slice(1), headers: { accept: 'application/json' } },
      fetchBounds,
    );
    if (answer.status !== 200) throw new Error(`oidc: ${address} answered ${answer.status}`);
    return JSON.parse(new TextDecoder().decode(answer.bytes)) as Record<string, unknown>;
  }
}
