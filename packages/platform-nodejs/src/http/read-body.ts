import { requestEntityTooLarge, timeout } from '@coracle/apimachinery';
import type { Deadlines } from '@coracle/base';
import { clientGone } from './client-gone.js';
import type { Incoming } from './messages.js';

/** Maximum size of a body for servers that expect small ones: kubelets, health and metrics. */
export const usualMaxBodyBytes: number = 1024 * 1024;

export interface BodyLimits {
  readonly maxBytes: number;
  /** Timeout of bodies. */
  readonly deadlines: Deadlines;
}

/**
 * The whole body, or `undefined` if there is none. A body over the limit is rejected as soon as that is known, and an
 * incomplete body is dropped when its client disconnects: HTTP/2 ends such a stream as if it were complete.
 */
export function readBody(incoming: Incoming, limits: BodyLimits): Promise<Uint8Array | undefined> | undefined {
  const { headers } = incoming;
  const hasBody =
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    incoming.httpVersionMajor === 2;
  if (!hasBody || headers['content-length'] === '0') return undefined;
  if (Number(headers['content-length']) > limits.maxBytes) return Promise.reject(tooLarge(limits.maxBytes));
  return gather(incoming, limits);
}

function gather(incoming: Incoming, { maxBytes, deadlines }: BodyLimits): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    let isDecided = false;
    // The received part of a rejected body is dropped at once, because its connection may stay open for some time.
    const refuse = (error: unknown) => {
      if (isDecided) return;
      isDecided = true;
      deadlines.end(deadline);
      chunks = [];
      reject(error);
    };
    const deadline = deadlines.begin(() => refuse(timeout('request did not complete within the allotted timeout', 0)));
    const leave = () => refuse(clientGone);
    incoming.on('data', (chunk: Uint8Array) => {
      if (isDecided) return;
      length += chunk.length;
      if (length > maxBytes) refuse(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    incoming.on('end', () => {
      if (incoming.aborted) leave();
      if (isDecided) return;
      isDecided = true;
      deadlines.end(deadline);
      resolve(chunks.length === 1 ? chunks[0] : length === 0 ? undefined : Buffer.concat(chunks, length));
      chunks = [];
    });
    incoming.on('error', leave);
    incoming.on('close', leave);
  });
}

function tooLarge(maxBytes: number): Error {
  return requestEntityTooLarge(`Request entity too large: limit is ${maxBytes}`);
}
