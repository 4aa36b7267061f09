import type { ApiRequest, ApiResponse, Exchange, WatchEvent } from '@coracle/apimachinery';
import { disposable } from '@coracle/base';
import type { WatchSink } from '../resource-client.js';
import { failureOfResponse } from './failure-of-response.js';
import { readBody } from './read-body.js';

/**
 * Sends a watch and pushes its events into `sink`, each as soon as it is there and without a promise in between.
 *
 * `sink.end` is called once, unless the watch is disposed first: after that, nothing is called any more, even if
 * the server goes on sending.
 */
export function openWatch<T>(exchange: Exchange, request: ApiRequest, sink: WatchSink<T>): Disposable {
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
    .then((response) => receive(response, receiver), finish)
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

async function receive<T>(response: ApiResponse, receiver: Receiver<T>): Promise<void> {
  const { status, body } = response;
  if (status >= 400) throw failureOfResponse({ ...response, body: await readBody(response) });
  const { event, finish, onClose } = receiver;
  if (body.kind === 'values') {
    // Only the server in this process sends values, and it sends watch events.
    body.values.open({ write: event as (event: unknown) => void, end: () => finish(), onClose });
    return;
  }
  const lines = new JsonLines((value) => event(value as WatchEvent<T>));
  const write = (chunk: Uint8Array): boolean => {
    try {
      lines.push(chunk);
    } catch (error) {
      finish(error);
    }
    return true;
  };
  if (body.kind === 'stream') {
    body.stream.open({ write, end: () => finish(lines.unfinished()), onDrain() {}, onClose });
    return;
  }
  if (body.kind === 'bytes') for (const chunk of body.chunks) write(chunk);
  finish(lines.unfinished());
}

/** Cuts a stream of bytes into lines of JSON. A line may be spread over any number of chunks. */
class JsonLines {
  readonly #decoder = new TextDecoder();
  readonly #onValue: (value: unknown) => void;
  #rest = '';

  constructor(onValue: (value: unknown) => void) {
    this.#onValue = onValue;
  }

  push(chunk: Uint8Array): void {
    const text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (end > start) this.#onValue(JSON.parse(text.slice(start, end)));
      start = end + 1;
    }
    this.#rest = start === 0 ? text : text.slice(start);
  }

  /** An error if the stream broke off in the middle of a line. */
  unfinished(): Error | undefined {
    return this.#rest.trim() === '' ? undefined : new Error('the watch broke off in the middle of an event');
  }
}
