import type { ApiRequest } from '@coracle/apimachinery';
import { unauthorized } from '@coracle/apimachinery';
import type { Authenticated, Authenticator } from './authenticator.js';

/** Knows one kind of token. `undefined`: not of this kind. A token of this kind that is bad is thrown as `Unauthorized`. */
export interface TokenAuthenticator {
  readonly name: string;
  authenticateToken(
    token: string,
    audiences?: readonly string[],
  ): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/**
 * Takes the token from the `Authorization` header, or from the sub-protocol by which browsers send it
 * with a WebSocket, and asks each kind in turn. A token that nobody knows is refused.
 */
export function bearerToken(kinds: readonly TokenAuthenticator[]): Authenticator {
  return {
    name: 'BearerToken',
    authenticate(request) {
      const token = tokenOf(request);
      return token === undefined ? undefined : authenticateToken(kinds, token);
    },
  };
}

/** Also serves TokenReview. Synchronous where the kind that knows the token is. */
export function authenticateToken(
  kinds: readonly TokenAuthenticator[],
  token: string,
  audiences?: readonly string[],
): Authenticated | Promise<Authenticated> {
  for (let i = 0; i < kinds.length; i++) {
    const outcome = (kinds[i] as TokenAuthenticator).authenticateToken(token, audiences);
    if (outcome instanceof Promise)
      return outcome.then((known) => known ?? authenticateToken(kinds.slice(i + 1), token, audiences));
    if (outcome !== undefined) return outcome;
  }
  throw unauthorized();
}

const webSocketPrefix = 'base64url.bearer.authorization.k8s.io.';

function tokenOf({ headers }: ApiRequest): string | undefined {
  const [scheme, token] = (headers['authorization'] ?? '').trim().split(' ');
  if (scheme?.toLowerCase() === 'bearer' && token) return token;
  return webSocketToken(headers['sec-websocket-protocol'] ?? '');
}

/** The protocol that carries a token is not spoken, so there must be another one that is. */
function webSocketToken(header: string): string | undefined {
  const protocols = header.split(',').map((one) => one.trim());
  const [carrier, second] = protocols.filter((one) => one.startsWith(webSocketPrefix));
  if (carrier === undefined) return undefined;
  if (second !== undefined || protocols.length < 2) throw unauthorized();
  return fromBase64Url(carrier.slice(webSocketPrefix.length)) || undefined;
}

function fromBase64Url(text: string): string {
  if (!/^[\w-]*$/.test(text)) throw unauthorized();
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    throw unauthorized();
  }
}
