import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Host, Output, Terminal } from '@coracle/kubectl';
import { createHttpTransport } from '../http-transport.js';
import { inClusterConnection } from '../kubeconfig-file.js';
import { systemClock } from '../system-clock.js';
import { createSystemRandom } from '../system-random.js';
import { nodeFiles } from './node-files.js';
import { nodeNetwork } from './node-network.js';
import { nodeProcesses } from './node-processes.js';

/** The machine that kubectl runs on, with this process's streams. */
export function createNodeHost(): Host {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interrupt.abort();
      // Whoever asks twice does not want to wait.
      setTimeout(() => process.exit(130), 300).unref();
    });
  return {
    stdin: { chunks: () => process.stdin, isTerminal: isatty(0) },
    stdout: output(1),
    stderr: output(2),
    env: process.env,
    clock: systemClock,
    random: createSystemRandom(),
    interrupted: interrupt.signal,
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    processId: process.pid,
    connect: ({ connection, timeoutMs }) =>
      createHttpTransport({ connection, ...(timeoutMs !== undefined && { timeoutMs }) }),
    inCluster: () => inClusterConnection(),
    files: nodeFiles(),
    processes: nodeProcesses(),
    network: nodeNetwork(),
    terminal: nodeTerminal(),
  };
}

/** Written at once: what was printed is out when the process ends, and the two streams keep their order. */
function output(descriptor: 1 | 2): Output {
  return {
    isTerminal: isatty(descriptor),
    write: (text) => writeAll(descriptor, typeof text === 'string' ? Buffer.from(text) : text),
  };
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(descriptor, bytes, offset);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The reader is slow: it gets a moment.
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      else if (code === 'EPIPE') process.exit(141);
      else throw error;
    }
  }
}

function nodeTerminal(): Terminal {
  return {
    sizes: sizes(),
    raw: () => {
      process.stdin.setRawMode?.(true);
      return { [Symbol.dispose]: () => void process.stdin.setRawMode?.(false) };
    },
  };
}

async function* sizes(): AsyncGenerator<{ width: number; height: number }> {
  for (;;) {
    yield { width: process.stdout.columns ?? 80, height: process.stdout.rows ?? 24 };
    await new Promise<void>((resolve) => process.stdout.once('resize', () => resolve()));
  }
}
