import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The built command line; `npm test` builds it first. */
export const program = join(dirname(fileURLToPath(import.meta.url)), '../../apps/coracle/dist/coracle.js');

export interface RunningClusterOptions {
  /** `coracle up` unless stated. */
  readonly command?: readonly string[];
  /** Beside `--data-dir` and `--listen`. */
  readonly flags?: readonly string[];
  /** A directory that outlives this process; a temporary one, removed at the end, by default. */
  readonly dataDir?: string;
}

/** `coracle up` in a separate process, on a free port. */
export class RunningCluster implements AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  readonly process: ChildProcess;
  readonly #removesDataDir: boolean;

  private constructor(parts: Pick<RunningCluster, 'url' | 'dataDir' | 'process'> & { readonly temporary: boolean }) {
    this.url = parts.url;
    this.dataDir = parts.dataDir;
    this.process = parts.process;
    this.#removesDataDir = parts.temporary;
  }

  /** Resolves when it has reported that it is ready; fails with its output if it exits before. */
  static async start(options: RunningClusterOptions = {}): Promise<RunningCluster> {
    const dataDir = options.dataDir ?? temporaryDirectory();
    const { command = ['up', '--listen', '127.0.0.1:0'], flags = [] } = options;
    const child = spawn(process.execPath, [program, ...command, '--data-dir', dataDir, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const url = await readyUrl(child);
    return new RunningCluster({ url, dataDir, process: child, temporary: options.dataDir === undefined });
  }

  /** Of the administrator. */
  get kubeconfig(): string {
    return join(this.dataDir, 'admin.kubeconfig');
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Memory in use, as the kernel counts it. */
  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  /** Files and sockets that it holds. */
  get openFiles(): number {
    return readdirSync(`/proc/${this.process.pid}/fd`).length;
  }

  /** Stops it, and returns its exit code. */
  async stop(): Promise<number | null> {
    return await this.#end('SIGTERM');
  }

  /** Ends it as a loss of power would. The data directory stays. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    if (this.#removesDataDir) rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const ended = once(this.process, 'exit');
      this.process.kill(signal);
      await ended;
    }
    return this.process.exitCode;
  }
}

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'coracle-e2e-'));
}

async function readyUrl(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('the output of the process is not to be read');
  let complaint = '';
  stderr.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  for await (const line of createInterface({ input: stdout })) {
    const url = /^coracle is ready at (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    // Later output is not read, and must not fill the pipe.
    stdout.resume();
    return url;
  }
  throw new Error(`coracle ended before it was ready: ${complaint}`);
}
