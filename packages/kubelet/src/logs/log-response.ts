import type { ApiResponse, ByteSink } from '@coracle/apimachinery';
import { Deferred } from '@coracle/base';

const headers = { 'content-type': 'text/plain' };

/** Streams chunks as they arrive, no faster than the reader accepts them. */
export function logResponse(pieces: AsyncGenerator<Uint8Array>, follow: boolean): ApiResponse {
  const open = (sink: ByteSink) => void pump(pieces, sink);
  return {
    status: 200,
    headers: follow ? { ...headers, 'cache-control': 'no-cache' } : headers,
    body: { kind: 'stream', stream: { open } },
  };
}

async function pump(pieces: AsyncGenerator<Uint8Array>, sink: ByteSink): Promise<void> {
  let drained = new Deferred<void>();
  let closed = false;
  sink.onDrain(() => drained.resolve());
  sink.onClose(() => {
    closed = true;
    drained.resolve();
    void pieces.return(undefined);
  });
  try {
    for await (const piece of pieces) {
      if (closed) return;
      drained = new Deferred();
      if (!sink.write(piece)) await drained.promise;
    }
  } catch {
    // The response has begun: the reader sees that the log ends early.
  }
  if (!closed) sink.end();
}
