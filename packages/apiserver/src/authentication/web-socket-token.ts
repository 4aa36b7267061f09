import { unauthorized } from '@coracle/apimachinery';
import type { Authenticator } from './authenticator.js';
import { authenticateToken, type TokenAuthenticator } from './bearer-token.js';

const carrierPrefix = 'base64url.bearer.authorization.k8s.io.';

/** Takes the token from the sub-protocol by which browsers send it with a WebSocket: they cannot set headers. */
export function webSocketToken(kinds: readonly TokenAuthenticator[]): Authenticator {
  return {
    name: 'WebSocketToken',
    authenticate({ headers }) {
      const isWebSocket = headers['upgrade']?.toLowerCase() === 'websocket';
      const protocols = isWebSocket ? headers['sec-websocket-protocol'] : undefined;
      const token = protocols === undefined ? undefined : tokenIn(protocols);
      return token === undefined ? undefined : authenticateToken(kinds, token);
    },
  };
}

/** The protocol that carries a token is not spoken, so there must be another one that is. */
function tokenIn(header: string): string | undefined {
  const protocols = header.split(',').map((one) => one.trim());
  const [carrier, second] = protocols.filter((one) => one.startsWith(carrierPrefix));
  if (carrier === undefined) return undefined;
  if (second !== undefined || protocols.length < 2) throw unauthorized();
  return fromBase64Url(carrier.slice(carrierPrefix.length)) || undefined;
}

function fromBase64Url(text: string): string {
  if (!/^[\w-]*$/.test(text)) throw unauthorized();
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unauthorized();
  }
}
