import { createGzip } from 'node:zlib';

/** Compresses one response, block by block, on the thread pool of the process. */
export interface Compressor extends Disposable {
  /** `done` is called when the block may be reused. */
  write(block: Uint8Array, done: (error?: Error | null) => void): void;
  /** Ends the data; `done` is called when everything has been written. */
  end(done: (error?: Error | null) => void): void;
}

/** Chunk size of compressed output. */
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
      // It closes when everything was read, or when it is disposed before that.
      if (gzip.closed) queueMicrotask(done);
      else gzip.once('close', () => done(failure));
      gzip.end();
    },
    [Symbol.dispose]: () => void gzip.destroy(),
  };
}
