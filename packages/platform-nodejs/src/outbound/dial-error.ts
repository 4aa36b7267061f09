import { addressText, type DialAddress, DialError } from '@coracle/apiserver';

/** Code of an error → Go's message, which users search for. */
const words: Readonly<Record<string, (address: string) => string>> = {
  ECONNREFUSED: (address) => `dial tcp ${address}: connect: connection refused`,
  EHOSTUNREACH: (address) => `dial tcp ${address}: connect: no route to host`,
  ENETUNREACH: (address) => `dial tcp ${address}: connect: network is unreachable`,
  ETIMEDOUT: (address) => `dial tcp ${address}: i/o timeout`,
  ECONNRESET: (address) => `read tcp ${address}: read: connection reset by peer`,
  EPIPE: (address) => `write tcp ${address}: write: broken pipe`,
  CERT_HAS_EXPIRED: () => 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: () => 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  SELF_SIGNED_CERT_IN_CHAIN: () => 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: () => 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () =>
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () =>
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
};

class StaleConnection extends DialError {}

/** A connection error of an address. */
export function dialError(error: Error, to: DialAddress, { reused = false } = {}): DialError {
  const { code = '' } = error as { readonly code?: string };
  const address = addressText(to);
  const message = words[code]?.(address) ?? otherWords(error, code, to);
  const isStale = reused && (code === 'ECONNRESET' || code === 'EPIPE');
  return new (isStale ? StaleConnection : DialError)(message, { cause: error });
}

/** Whether a reused connection broke: the request can be repeated on a new one. */
export function isStaleConnection(error: unknown): boolean {
  return error instanceof StaleConnection;
}

/** Whether the server supports none of the protocols offered in the TLS handshake. */
export function refusesProtocol(error: unknown): boolean {
  if (!(error instanceof DialError) || !(error.cause instanceof Error)) return false;
  const { code = '', message } = error.cause as Error & { readonly code?: string };
  // The alert may come before or after the handshake is over here, and shows in two ways.
  return code.endsWith('_NO_APPLICATION_PROTOCOL') || message.includes('alert no application protocol');
}

function otherWords(error: Error, code: string, to: DialAddress): string {
  const { host, serverName = host } = to;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: certificate is valid for ${namesIn(error)}, not ${serverName}`;
  return `${addressText(to)}: ${error.message}`;
}

function namesIn(error: Error): string {
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } };
  return (cert?.subjectaltname ?? '').replace(/(?:DNS|IP Address):/g, '') || 'no names';
}
