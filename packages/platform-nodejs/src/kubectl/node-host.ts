import { writeSync } from 'node:fs';
import type { Host, Network, Output, Processes, Terminal } from '@coracle/kubectl';
import { systemClock } from '../system-clock.js';
import { createSystemRandom } from '../system-random.js';
import { nodeFiles } from './node-files.js';

/**
 * The host of kubectl: this machine and the streams of this process. kubectl starts for every command, so code that few
 * commands need is loaded by those.
 */
export function createNodeHost(): Host {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interrupt.abort();
      // A second signal ends the process at once.
      setTimeout(() => process.exit(130), 300).unref();
    });
  return {
    stdin: {
      chunks: () => process.stdin,
      get isTerminal() {
        return isTerminal(0);
      },
    },
    stdout: output(1),
    stderr: output(2),
    env: process.env,
    clock: systemClock,
    random: createSystemRandom(),
    interrupted: interrupt.signal,
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    processId: process.pid,
    connect: async ({ connection, timeoutMs }) => {
      const { createHttpTransport } = await import('../http-transport.js');
      return createHttpTransport({ connection, ...(timeoutMs !== undefined && { timeoutMs }) });
    },
    inCluster: async () => (await import('../kubeconfig-file.js')).inClusterConnection(),
    profile: async (kind) => {
      const profiler = (await import('../process-profiler.js')).createProcessProfiler();
      return kind === 'cpu' ? profiler.startCpu() : profiler.startHeap();
    },
    files: nodeFiles(),
    processes: lazyProcesses(),
    network: lazyNetwork(),
    terminal: nodeTerminal(),
  };
}

function lazyProcesses(): Processes {
  const load = async () => (await import('./node-processes.js')).nodeProcesses();
  return {
    run: async (command, options) => (await load()).run(command, options),
    isExecutable: async (path) => (await load()).isExecutable(path),
  };
}

function lazyNetwork(): Network {
  const load = async () => (await import('./node-network.js')).nodeNetwork();
  return {
    listen: async (address, accept) => (await load()).listen(address, accept),
    serveHttp: async (address, handle, connect) => (await load()).serveHttp(address, handle, connect),
    fetch: async (url) => (await load()).fetch(url),
  };
}

/** Synchronous: all output is written when the process ends, and the two streams keep their order. */
function output(descriptor: 1 | 2): Output {
  return {
    get isTerminal() {
      return isTerminal(descriptor);
    },
    write: (text) => writeAll(descriptor, typeof text === 'string' ? Buffer.from(text) : text),
  };
}

function isTerminal(descriptor: number): boolean {
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(descriptor, bytes, offset);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The reader is slow: waits a moment.
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
