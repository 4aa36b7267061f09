import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import { isStreaming, type Transport } from '@coracle/client';
import { createFetchTransport } from '@coracle/platform-web';

/** Origin of the page, and its session token. */
export interface PageIdentity {
  readonly origin: string;
  readonly key: string;
}

/** The API of the cluster behind the page's own server. Streams use WebSocket; see `stream-channel.ts` there. */
export function pageTransport({ origin, key }: PageIdentity): Transport {
  const fetched = createFetchTransport({ server: `${origin}/cluster`, token: key, maxRetries: 2 });
  return {
    ...fetched,
    exchange: (request) =>
      isStreaming(request) && !request.path.includes('/proxy')
        ? streamed(request, { origin, key })
        : fetched.exchange(request),
  };
}

const streamProtocol = 'stream.dashboard.coracle';

function streamed(request: ApiRequest, { origin, key }: PageIdentity): Promise<ApiResponse> {
  const { path, query, headers, signal } = request;
  const shown = `base64url.bearer.authorization.k8s.io.${base64Url(key)}`;
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/stream`, [shown, streamProtocol]);
  socket.binaryType = 'arraybuffer';
  const incoming = new Incoming(socket);
  signal?.addEventListener('abort', () => socket.close(), { once: true });
  socket.addEventListener('open', () =>
    socket.send(new TextEncoder().encode(JSON.stringify({ path, query, accept: headers['accept'] }))),
  );
  return incoming.response;
}

function base64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
}

/** The first message is the head of the answer, all others are its body. */
class Incoming {
  readonly response: Promise<ApiResponse>;
  readonly #chunks: Uint8Array[] = [];
  #write: ((chunk: Uint8Array) => void) | undefined;
  #end: (() => void) | undefined;
  #closed = false;

  constructor(socket: WebSocket) {
    this.response = new Promise((resolve, reject) => {
      let head: Head | undefined;
      socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
        const bytes = new Uint8Array(data);
        if (head) {
          this.#take(bytes);
          return;
        }
        const first = JSON.parse(new TextDecoder().decode(bytes)) as Head;
        head = first;
        if (first.status < 400) resolve({ ...first, body: { kind: 'stream', stream: this.#stream(socket) } });
      });
      socket.addEventListener('close', () => {
        this.#closed = true;
        this.#end?.();
        if (!head) reject(new Error('the server cannot be reached'));
        else if (head.status >= 400) resolve({ ...head, body: { kind: 'bytes', chunks: this.#chunks } });
      });
    });
  }

  #take(bytes: Uint8Array): void {
    if (this.#write) this.#write(bytes);
    else this.#chunks.push(bytes);
  }

  #stream(socket: WebSocket) {
    return {
      open: (sink: { write(chunk: Uint8Array): boolean; end(): void; onClose(listener: () => void): void }) => {
        this.#write = (chunk) => void sink.write(chunk);
        this.#end = () => sink.end();
        sink.onClose(() => socket.close());
        for (const chunk of this.#chunks.splice(0)) sink.write(chunk);
        if (this.#closed) sink.end();
      },
    };
  }
}
