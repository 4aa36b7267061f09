import { type ByteStream, readJson } from '@coracle/apimachinery';
import { type Client, failureOfResponse } from '@coracle/client';
import { type Fields, isRecord } from '../values.js';

export interface StreamedEvent {
  readonly type: string;
  readonly object: Fields;
}

/** The events of a watch, as they come; ends when the server or the signal ends it. */
export async function* watchEvents(
  client: Client,
  path: string,
  options: { readonly accept?: string; readonly signal: AbortSignal },
): AsyncGenerator<StreamedEvent> {
  const headers = { accept: options.accept ?? 'application/json' };
  const response = await client.exchange('GET', path, { headers, signal: options.signal });
  if (response.status >= 400) {
    const chunks = response.body.kind === 'bytes' ? response.body.chunks : [];
    let text = '';
    for (const chunk of chunks) text += new TextDecoder().decode(chunk);
    throw failureOfResponse({ ...response, body: safeJson(text) });
  }
  if (response.body.kind !== 'stream') return;
  for await (const line of linesOf(response.body.stream, options.signal)) {
    const event: unknown = readJson(line);
    if (!isRecord(event) || !isRecord(event['object'])) continue;
    if (event['type'] === 'ERROR') throw failureOfResponse({ ...response, body: event['object'] });
    yield { type: String(event['type']), object: event['object'] };
  }
}

function safeJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

async function* linesOf(stream: ByteStream, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(stream, signal)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}

/** Maximum buffered size of a stream before the sender is paused. */
const mostWaitingBytes = 1024 * 1024;

/** The bytes of a stream until it ends or the signal aborts; leaving the loop closes it. */
export async function* chunksOf(stream: ByteStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const closers: (() => void)[] = [];
  const drainers: (() => void)[] = [];
  let waitingBytes = 0;
  let ended = false;
  let wake = () => {};
  const stop = () => {
    ended = true;
    wake();
  };
  signal.addEventListener('abort', stop);
  stream.open({
    write: (chunk) => {
      chunks.push(chunk);
      waitingBytes += chunk.length;
      wake();
      return waitingBytes < mostWaitingBytes;
    },
    end: stop,
    onDrain: (listener) => void drainers.push(listener),
    onClose: (listener) => void closers.push(listener),
  });
  try {
    for (;;) {
      for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
        const isFull = waitingBytes >= mostWaitingBytes;
        waitingBytes -= chunk.length;
        if (isFull && waitingBytes < mostWaitingBytes) for (const drain of drainers) drain();
        yield chunk;
      }
      if (ended || signal.aborted) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener('abort', stop);
    for (const close of closers) close();
  }
}
