import { type ApiResponse, type ByteStream, type ResponseBody, readJson, writeJson } from '@coracle/apimachinery';
import { type Clock, concatBytes, type Millis } from '@coracle/base';
import { DialError } from './dialer.js';

/** Timeout and maximum size of a response. */
export interface Bounds {
  readonly timeoutMs: Millis;
  readonly maxBytes: number;
}

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly bytes: Uint8Array;
}

/** The message of Go's `context.DeadlineExceeded`. */
export const deadlineExceeded = 'context deadline exceeded';

/** Includes the clock for the timeout, and the signal of the caller. */
export interface BoundedCall extends Bounds {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

type Send = (signal: AbortSignal) => Promise<ApiResponse>;

/** Reads a whole response. One that is late or too large is aborted, and its connection closed. */
export function readBounded(send: Send, call: BoundedCall): Promise<BoundedAnswer> {
  return withinBounds(send, call, async ({ status, headers, body }) => ({
    status,
    headers,
    bytes: await readBody(body, call.maxBytes),
  }));
}

/**
 * The same for a response in JSON, as a value. A server in this process may send the value itself: it is shared, and
 * its size not limited. Only a successful response is parsed: error responses are often not JSON.
 */
export function readBoundedJson(
  send: Send,
  call: BoundedCall,
): Promise<{ readonly status: number; readonly value: unknown }> {
  return withinBounds(send, call, async ({ status, body }) => {
    if (body.kind === 'value') return { status, value: body.value };
    const bytes = await readBody(body, call.maxBytes);
    return { status, value: status < 300 ? readJson(new TextDecoder().decode(bytes)) : undefined };
  });
}

async function withinBounds<T>(
  send: Send,
  { timeoutMs, clock, signal }: BoundedCall,
  read: (response: ApiResponse) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.schedule(timeoutMs, () => ending.abort(new DialError(deadlineExceeded)));
  const work = send(ending.signal).then(read);
  try {
    return await orAborted(work, ending.signal);
  } catch (error) {
    // After a complete response there is nothing to cancel.
    ending.abort(error);
    throw error;
  } finally {
    timer[Symbol.dispose]();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Covers calls that ignore the signal. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, (error: unknown) => reject(signal.aborted ? signal.reason : error));
  });
}

async function readBody(body: ResponseBody, maxBytes: number): Promise<Uint8Array> {
  switch (body.kind) {
    case 'empty':
      return new Uint8Array();
    case 'bytes':
      return concatBytes(checked(body.chunks, maxBytes));
    case 'value':
      return new TextEncoder().encode(writeJson(body.value));
    case 'stream':
      return await readStream(body.stream, maxBytes);
    case 'values':
      throw new DialError('the response does not end');
  }
}

function checked(chunks: readonly Uint8Array[], maxBytes: number): readonly Uint8Array[] {
  if (chunks.reduce((sum, { length }) => sum + length, 0) > maxBytes) throw tooLarge(maxBytes);
  return chunks;
}

function readStream(stream: ByteStream, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let close = () => {};
    stream.open({
      write: (chunk) => {
        length += chunk.length;
        if (length <= maxBytes) chunks.push(chunk);
        else {
          chunks.length = 0;
          reject(tooLarge(maxBytes));
          close();
        }
        return true;
      },
      end: (cut) => (cut ? reject(new DialError('unexpected EOF')) : resolve(concatBytes(chunks))),
      onDrain: () => {},
      onClose: (listener) => {
        close = listener;
      },
    });
  });
}

function tooLarge(maxBytes: number): DialError {
  return new DialError(`the response body is larger than ${maxBytes} bytes`);
}
