import type { ByteStream } from '@coracle/apimachinery';
import { Fifo } from '@coracle/base';
import type { Client } from '../client.js';
import { failureOfResponse } from '../rest/failure-of-response.js';
import { queryString } from '../rest/query-string.js';
import { readBody } from '../rest/read-body.js';
import { objectPath } from '../rest/resource-path.js';

const pods = { group: '', version: 'v1', resource: 'pods', namespaced: true };

/** The container, and the lines of its log. */
export interface PodLogOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string;
  /** Follows the log. */
  readonly follow?: boolean;
  /** The log of the previous container instance. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly stream?: 'All' | 'Stdout' | 'Stderr';
  readonly insecureSkipTLSVerifyBackend?: boolean;
  readonly signal?: AbortSignal;
}

/** The log of a container as bytes, in chunks as they arrive. Leaving the loop ends the request. */
export async function* podLogs(client: Client, options: PodLogOptions): AsyncIterable<Uint8Array> {
  const { namespace, pod: name, signal, ...query } = options;
  const left = new AbortController();
  const end = () => left.abort(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const path = objectPath(pods, { namespace, name, subresource: 'log' });
    const response = await client.exchange('GET', `${path}?${queryString({ ...query })}`, {
      headers: { accept: '*/*' },
      signal: left.signal,
    });
    if (response.status >= 400) throw failureOfResponse({ ...response, body: await readBody(response) });
    if (response.body.kind === 'bytes') yield* response.body.chunks;
    else if (response.body.kind === 'stream') yield* chunksOf(response.body.stream);
  } finally {
    signal?.removeEventListener('abort', end);
    left.abort();
  }
  signal?.throwIfAborted();
}

/** The same, line by line, without line breaks. */
export async function* podLogLines(client: Client, options: PodLogOptions): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of podLogs(client, options)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Backpressure: chunks are read from the network only on request. */
async function* chunksOf(stream: ByteStream): AsyncIterable<Uint8Array> {
  const chunks = new Fifo<Uint8Array>();
  const closeListeners: (() => void)[] = [];
  let ended = false;
  let wake = () => {};
  let drained = () => {};
  stream.open({
    write: (chunk) => {
      chunks.push(chunk);
      wake();
      return chunks.size < 16;
    },
    end: () => {
      ended = true;
      wake();
    },
    onDrain: (listener) => void (drained = listener),
    onClose: (listener) => void closeListeners.push(listener),
  });
  try {
    for (;;) {
      for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
      if (ended) return;
      drained();
      if (chunks.size === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    for (const listener of closeListeners) listener();
  }
}
