import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Clock, type Logger, type Millis, messageOf, sleep } from '@coracle/base';
import type { KernelLog } from '@coracle/kubelet';

export interface KernelLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** `/dev/kmsg` unless stated. */
  readonly path?: string;
}

/** Polling interval: Node.js cannot wait for a device. */
const pollMs: Millis = 2_000;
/** The maximum size of a kernel record. */
const recordBytes = 8_192;

/** Kernel messages, if this process may read them. */
export function kernelLog({ clock, logger, path = '/dev/kmsg' }: KernelLogOptions): KernelLog {
  return {
    follow(onMessage) {
      const ended = new AbortController();
      const { signal } = ended;
      const run = async () => {
        await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
        // Earlier messages are read and dropped, because they have kernel time.
        for await (const _message of messages(file)) if (signal.aborted) return;
        for (;;) {
          for await (const message of messages(file)) if (!signal.aborted) onMessage(message);
          await sleep(clock, pollMs, signal);
        }
      };
      run().catch((error) => {
        if (!signal.aborted) logger.info('failed to read the kernel log', { path, error: messageOf(error) });
      });
      return { [Symbol.dispose]: () => ended.abort('the kubelet ends') };
    },
  };
}

/** The existing messages: each read returns one, as `priority,sequence,time,flags;message`. */
async function* messages(file: FileHandle): AsyncGenerator<string> {
  const buffer = Buffer.alloc(recordBytes);
  for (;;) {
    const length = await readRecord(file, buffer);
    if (length === 0) return;
    const [line = ''] = buffer.toString('utf8', 0, length).split('\n', 1);
    yield line.slice(line.indexOf(';') + 1);
  }
}

/** 0 when there is no more; records that were overwritten meanwhile are skipped. */
async function readRecord(file: FileHandle, buffer: Buffer): Promise<number> {
  for (;;) {
    try {
      return (await file.read(buffer, 0, buffer.length, null)).bytesRead;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 0;
      if (code !== 'EPIPE') throw error;
    }
  }
}
