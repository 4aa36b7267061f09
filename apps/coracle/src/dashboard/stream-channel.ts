import { type ApiRequest, asStatusError, type Exchange, type PairedChannel } from '@coracle/apimachinery';

/**
 * Streaming responses over WebSocket. Browsers open six connections to an HTTP/1.1 server, and a page with
 * seven watches would stand still; of WebSockets they open hundreds.
 *
 * The page sends one message: the request as JSON. It gets one back: status and headers; then the body, as it comes.
 */
export const streamProtocol = 'stream.dashboard.coracle';

export function answerStream(channel: PairedChannel, exchange: Exchange): void {
  const left = new AbortController();
  let hasRequest = false;
  channel.onClose(() => left.abort());
  channel.onMessage((message) => {
    if (hasRequest) return;
    hasRequest = true;
    answer(message, { channel, exchange, signal: left.signal }).catch((error: unknown) => {
      if (left.signal.aborted) return;
      const { status } = asStatusError(error);
      head(channel, { status: status.code, headers: { 'content-type': 'application/json' } });
      channel.send(new TextEncoder().encode(JSON.stringify(status)));
      channel[Symbol.dispose]();
    });
  });
}

interface Answering {
  readonly channel: PairedChannel;
  readonly exchange: Exchange;
  readonly signal: AbortSignal;
}

async function answer(message: Uint8Array, { channel, exchange, signal }: Answering): Promise<void> {
  const response = await exchange({ ...requestIn(message), signal });
  const { status, headers, body } = response;
  head(channel, { status, headers: { 'content-type': headers['content-type'] ?? 'application/json' } });
  if (body.kind === 'stream')
    body.stream.open({
      write: (chunk) => {
        channel.send(chunk);
        return true;
      },
      end: () => channel[Symbol.dispose](),
      onDrain: () => {},
      onClose: (listener) => signal.addEventListener('abort', listener, { once: true }),
    });
  else {
    if (body.kind === 'bytes') for (const chunk of body.chunks) channel.send(chunk);
    channel[Symbol.dispose]();
  }
}

/** Only reads go on. */
function requestIn(message: Uint8Array): ApiRequest {
  const { path, query, accept } = JSON.parse(new TextDecoder().decode(message)) as Record<string, unknown>;
  if (typeof path !== 'string' || typeof query !== 'string') throw new Error('a stream needs a path and a query');
  return {
    method: 'GET',
    path,
    query,
    headers: { accept: typeof accept === 'string' ? accept : 'application/json', 'user-agent': 'coracle-dashboard' },
  };
}

function head(channel: PairedChannel, value: object): void {
  channel.send(new TextEncoder().encode(JSON.stringify(value)));
}
