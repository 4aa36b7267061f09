import type { ApiRequest } from '@coracle/apimachinery';
import { type StatusError, unauthorized } from '@coracle/apimachinery';
import type { Authenticated, Authenticator } from './authenticator.js';

/**
 * Verifies one kind of token. `undefined`: not of this kind. Throws `Unauthorized` for an invalid token of this kind.
 */
export interface TokenAuthenticator {
  readonly name: string;
  authenticateToken(
    token: string,
    audiences?: readonly string[],
  ): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/** Takes the token from the `Authorization` header and tries each token authenticator in turn. Unknown tokens are rejected. */
export function bearerToken(kinds: readonly TokenAuthenticator[]): Authenticator {
  return {
    name: 'BearerToken',
    authenticate(request) {
      const token = tokenOf(request);
      return token === undefined ? undefined : authenticateToken(kinds, token);
    },
  };
}

/**
 * Also serves TokenReview. Synchronous if the authenticator is. A token that one authenticator rejects may be valid for
 * a later one; if it is valid for none, the first rejection is reported.
 */
export function authenticateToken(
  kinds: readonly TokenAuthenticator[],
  token: string,
  audiences?: readonly string[],
): Authenticated | Promise<Authenticated> {
  return tryInTurn(kinds, { token, audiences }, undefined);
}

interface PresentedToken {
  readonly token: string;
  readonly audiences: readonly string[] | undefined;
}

function tryInTurn(
  kinds: readonly TokenAuthenticator[],
  presented: PresentedToken,
  failure: { readonly error: unknown } | undefined,
): Authenticated | Promise<Authenticated> {
  let failed = failure;
  for (let i = 0; i < kinds.length; i++) {
    try {
      const outcome = (kinds[i] as TokenAuthenticator).authenticateToken(presented.token, presented.audiences);
      if (outcome instanceof Promise) {
        const [others, before] = [kinds.slice(i + 1), failed];
        return outcome.then(
          (authenticated) => authenticated ?? tryInTurn(others, presented, before),
          (error: unknown) => tryInTurn(others, presented, before ?? { error }),
        );
      }
      if (outcome !== undefined) return outcome;
    } catch (error) {
      failed ??= { error };
    }
  }
  throw failed ? failed.error : unauthorized();
}

/** Tokens of a kind without audiences, which are valid for those of the server only. */
export function forAudiences(kind: TokenAuthenticator, implied: readonly string[]): TokenAuthenticator {
  return {
    name: kind.name,
    authenticateToken(token, requested) {
      if (requested === undefined) return kind.authenticateToken(token);
      const audiences = implied.filter((audience) => requested.includes(audience));
      if (audiences.length === 0) return undefined;
      const outcome = kind.authenticateToken(token, requested);
      const withAudiences = (one: Authenticated | undefined) => one && { ...one, audiences };
      return outcome instanceof Promise ? outcome.then(withAudiences) : withAudiences(outcome);
    },
  };
}

/** A rejected token with the reason, which TokenReview reports and the 401 response does not. */
export function badToken(problem: string): StatusError {
  const error = unauthorized();
  error.cause = problem;
  return error;
}

function tokenOf({ headers }: ApiRequest): string | undefined {
  const [scheme, token] = (headers['authorization'] ?? '').trim().split(' ');
  return scheme?.toLowerCase() === 'bearer' && token ? token : undefined;
}
