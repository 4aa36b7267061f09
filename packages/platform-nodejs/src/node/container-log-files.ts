import { watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { LogFile, LogSource } from '@coracle/kubelet';

/** The log files that a container runtime of this machine writes. */
export const containerLogFiles: LogSource = {
  open: async ({ logPath = '' }) => openLog(logPath),
};

async function openLog(path: string): Promise<LogFile | undefined> {
  try {
    return new ContainerLogFile(path, await open(path, 'r'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

class ContainerLogFile implements LogFile {
  readonly #path: string;
  readonly #handle: FileHandle;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        watcher?.close();
        resolve();
      };
      const watcher = watched(this.#path, done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  async successor(): Promise<LogFile | undefined> {
    const [own, current] = await Promise.all([this.#handle.stat(), stat(this.#path).catch(() => undefined)]);
    return current && current.ino !== own.ino ? openLog(this.#path) : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** A deleted file cannot be watched, and has no more events. */
function watched(path: string, tell: () => void) {
  try {
    return watch(path, { persistent: false }, tell).on('error', tell);
  } catch {
    return undefined;
  }
}
