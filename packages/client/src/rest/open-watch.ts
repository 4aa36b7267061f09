import type { ApiRequest, ApiResponse, Exchange, WatchEvent } from '@coracle/apimachinery';
import { disposable } from '@coracle/base';
import type { WatchSink } from '../resource-client.js';
import type { ContentCodec } from './content-codec.js';
import { failureOfResponse } from './failure-of-response.js';
import { JsonLines } from './json-lines.js';
import { readBody } from './read-body.js';

export interface WatchCall {
  readonly exchange: Exchange;
  readonly request: ApiRequest;
  /** Used for responses in its encoding; others are JSON. */
  readonly codec?: ContentCodec | undefined;
}

/**
 * Sends a watch and pushes its events into `sink`, each as soon as it is there and without a promise in between.
 *
 * `sink.end` is called once, unless the watch is disposed first: after that, no callback is called any more, even if
 * the server continues to send.
 */
export function openWatch<T>({ exchange, request, codec }: WatchCall, sink: WatchSink<T>): Disposable {
  const aborter = new AbortController();
  const closeListeners: (() => void)[] = [];
  let open = true;

  const close = () => {
    open = false;
    request.signal?.removeEventListener('abort', onAbort);
    for (const listener of closeListeners.splice(0)) listener();
  };
  const finish = (error?: unknown) => {
    if (!open) return;
    close();
    aborter.abort();
    sink.end(error);
  };
  const onAbort = () => finish(request.signal?.reason);

  const receiver: Receiver<T> = {
    event: (event) => {
      if (open) sink.event(event);
    },
    finish,
    onClose: (listener) => (open ? void closeListeners.push(listener) : listener()),
  };
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) queueMicrotask(onAbort);
  exchange({ ...request, signal: aborter.signal })
    .then((response) => receive(response, receiver, codec), finish)
    .catch(finish);
  return disposable(() => {
    if (open) close();
    aborter.abort();
  });
}

interface Receiver<T> {
  readonly event: (event: WatchEvent<T>) => void;
  readonly finish: (error?: unknown) => void;
  readonly onClose: (listener: () => void) => void;
}

async function receive<T>(
  response: ApiResponse,
  receiver: Receiver<T>,
  codec: ContentCodec | undefined,
): Promise<void> {
  const { status, body } = response;
  if (status >= 400) throw failureOfResponse({ ...response, body: await readBody(response, codec) });
  const { event, finish, onClose } = receiver;
  if (body.kind === 'values') {
    // Only the server in this process sends values, and it sends watch events.
    body.values.open({ write: event as (event: unknown) => void, end: () => finish(), onClose });
    return;
  }
  const onValue = (value: unknown) => event(value as WatchEvent<T>);
  const isCoded = codec && String(response.headers['content-type']).startsWith(codec.mediaType);
  const reader = isCoded ? codec.watchReader(onValue) : new JsonLines(onValue);
  const write = (chunk: Uint8Array): boolean => {
    try {
      reader.push(chunk);
    } catch (error) {
      finish(error);
    }
    return true;
  };
  if (body.kind === 'stream') {
    body.stream.open({ write, end: () => finish(reader.unfinished()), onDrain() {}, onClose });
    return;
  }
  if (body.kind === 'bytes') for (const chunk of body.chunks) write(chunk);
  finish(reader.unfinished());
}
