import { concatBytes } from '@coracle/base';
import type { ByteStream, ResponseBody } from './exchange.js';

/** The bytes of a response body, read to its end. There are none of an empty body, and of values in the same process. */
export async function bodyBytes(body: ResponseBody): Promise<Uint8Array> {
  const chunks = body.kind === 'stream' ? await chunksOf(body.stream) : body.kind === 'bytes' ? body.chunks : [];
  const [only] = chunks;
  return only && chunks.length === 1 ? only : concatBytes(chunks);
}

function chunksOf(stream: ByteStream): Promise<readonly Uint8Array[]> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let closed = () => {};
    stream.open({
      write: (chunk) => chunks.push(chunk) > 0,
      end: () => {
        resolve(chunks);
        closed();
      },
      onDrain: () => {},
      onClose: (listener) => {
        closed = listener;
      },
    });
  });
}
