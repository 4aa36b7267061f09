import { createGzip } from 'node:zlib';

/** Compresses one answer, a block at a time, on a thread of the process's pool. */
export interface Compressor extends Disposable {
  /** `done` when the block may be used again. */
  write(block: Uint8Array, done: (error?: Error | null) => void): void;
  /** The end of the data; `done` when everything has been written. */
  end(done: (error?: Error | null) => void): void;
}

/** So much of what is compressed is handed over at a time. */
const outputBytes = 64 * 1024;

/** The fastest level, as kube-apiserver uses it. */
export function gzipCompressor(onOutput: (bytes: Uint8Array) => void): Compressor {
  const gzip = createGzip({ level: 1, chunkSize: outputBytes });
  let failure: Error | undefined;
  gzip.on('data', onOutput);
  gzip.on('error', (error) => {
    failure = error;
  });
  return {
    write: (block, done) => void gzip.write(block, done),
    end: (done) => {
      // It closes when all has been read, and when it is disposed of before that.
      if (gzip.closed) queueMicrotask(done);
      else gzip.once('close', () => done(failure));
      gzip.end();
    },
    [Symbol.dispose]: () => void gzip.destroy(),
  };
}
