import { constants, type Http2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { ByteStream } from '@coracle/apimachinery';

/**
 * A readable as a stream: it pauses while the receiver is behind, and is destroyed when the receiver has disconnected.
 * One that breaks off ends with an error; over HTTP/2 that is an end too, and `whole` tells which one it was.
 */
export function byteStreamOf(readable: Readable, whole: () => boolean = () => true): ByteStream {
  return {
    open(sink) {
      let ended = false;
      const end = (cut?: Error) => {
        if (ended) return;
        ended = true;
        sink.end(cut);
      };
      sink.onDrain(() => readable.resume());
      sink.onClose(() => readable.destroy());
      readable.on('data', (chunk: Buffer) => {
        if (!sink.write(chunk)) readable.pause();
      });
      readable.on('end', () => end(whole() ? undefined : cutConnection()));
      for (const event of ['close', 'error'] as const) readable.on(event, () => end(cutConnection()));
      if (readable.destroyed) end(cutConnection());
    },
  };
}

/** Whether a stream that has ended was ended by the server: when its connection is cut it ends as well. */
export function isWhole({ rstCode }: Http2Stream): boolean {
  return rstCode === constants.NGHTTP2_NO_ERROR;
}

/**
 * All of a body that ends. Rejects when it breaks off: over HTTP/2 that is an end too, and `whole` tells which one it was.
 */
export function readAll(
  readable: Readable,
  encoding: string | undefined,
  whole: () => boolean = () => true,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    readable.on('data', (chunk: Buffer) => chunks.push(chunk));
    readable.on('error', reject);
    readable.on('aborted', () => reject(cutConnection()));
    readable.on('close', () => reject(cutConnection()));
    readable.on('end', () => {
      if (!whole()) return reject(cutConnection());
      const bytes = Buffer.concat(chunks);
      try {
        resolve(encoding === 'gzip' && bytes.length > 0 ? gunzipSync(bytes) : bytes);
      } catch (error) {
        reject(error);
      }
    });
  });
}

export function cutConnection(): NodeJS.ErrnoException {
  return Object.assign(new Error('the connection closed in the middle of a response'), { code: 'ECONNRESET' });
}

const cutCodes: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_SESSION_ERROR',
]);

/** Whether an established connection broke: the server restarted, or closed it at the moment of use. */
export function isCutConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && cutCodes.has(error.code);
}
