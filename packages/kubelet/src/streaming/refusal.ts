import { type ApiResponse, spdyPrefix } from '@coracle/apimachinery';

/** The plain text error of a kubelet or a runtime that opens no channel. */
export function textResponse(status: number, text: string, headers: ApiResponse['headers'] = {}): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(text)] },
  };
}

/** The error for clients without a common protocol. */
export function refused(offered: readonly string[], supported: readonly string[]): ApiResponse {
  const names = offered.map((name) => (name.startsWith(spdyPrefix) ? name.slice(spdyPrefix.length) : name));
  const accepted = supported.filter((name) => name !== '');
  return textResponse(
    403,
    `unable to upgrade: unable to negotiate protocol: client supports [${names.join(' ')}], server accepts [${accepted.join(' ')}]\n`,
    { 'x-accepted-stream-protocol-versions': accepted },
  );
}
