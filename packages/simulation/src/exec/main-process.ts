import { Pipe } from '@coracle/base';
import type { ContainerLog } from '../container-log.js';
import { isSimulated, readsInput } from './commands.js';

/** Receives the output of a process. */
export type OutputReader = (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void;

/** The streams of a container's own command, which reads: a client that attaches shares them. */
export class MainProcess {
  readonly input = new Pipe<Uint8Array>(({ length }) => length);
  readonly readers = new Set<OutputReader>();
  readonly #log: ContainerLog;
  readonly #now: () => number;
  /** Output since the last line break. */
  readonly #rest = { stdout: '', stderr: '' };

  constructor(log: ContainerLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  write(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void {
    for (const read of this.readers) read(chunk, stream);
    const text = this.#rest[stream] + new TextDecoder().decode(chunk);
    const end = text.lastIndexOf('\n') + 1;
    this.#rest[stream] = text.slice(end);
    this.#log.write(text.slice(0, end), this.#now(), stream);
  }

  /** What was written last may have no end of a line. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#log.write(this.#rest[stream], this.#now(), stream);
      this.#rest[stream] = '';
    }
  }
}

/**
 * The command of a container if it is simulated, also one that reads its input: a shell or `cat`. An image's own counts
 * as a shell if the pod requests a terminal.
 */
export function simulatedCommand(config: {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly stdin?: boolean;
  readonly tty?: boolean;
}): readonly string[] | undefined {
  const { command = [], args = [], stdin = false, tty = false } = config;
  const whole = [...command, ...args];
  if (isSimulated(whole)) return whole;
  if (!stdin) return undefined;
  if (whole.length === 0) return tty ? ['sh'] : undefined;
  return readsInput(whole) ? whole : undefined;
}
