import { requestEntityTooLarge } from '@coracle/apimachinery';
import type { Incoming } from './messages.js';

/** The whole body, or `undefined` if there is none. A body over the limit is refused as soon as that is known. */
export function readBody(incoming: Incoming, maxBytes: number): Promise<Uint8Array | undefined> | undefined {
  const { headers } = incoming;
  const hasBody =
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    incoming.httpVersionMajor === 2;
  if (!hasBody || headers['content-length'] === '0') return undefined;
  if (Number(headers['content-length']) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) reject(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    incoming.on('end', () =>
      resolve(chunks.length === 1 ? chunks[0] : length === 0 ? undefined : Buffer.concat(chunks, length)),
    );
    incoming.on('error', reject);
  });
}

function tooLarge(maxBytes: number): Error {
  return requestEntityTooLarge(`Request entity too large: limit is ${maxBytes}`);
}
