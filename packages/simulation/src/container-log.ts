import type { Millis } from '@coracle/base';

export interface LogLine {
  readonly at: Millis;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** It has no end: the program wrote none. */
  readonly partial?: boolean;
}

/** The last lines that a container wrote. */
export class ContainerLog {
  readonly #limit: number;
  #lines: LogLine[] = [];
  /** Called with each line. */
  readonly readers = new Set<(line: LogLine) => void>();

  constructor(limit = 1_000) {
    this.#limit = limit;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  write(output: string, at: Millis, stream: LogLine['stream'] = 'stdout'): void {
    if (output === '') return;
    const texts = output.replace(/\n$/, '').split('\n');
    const unfinished = output.endsWith('\n') ? undefined : texts.pop();
    for (const text of texts) this.#push({ at, stream, text });
    if (unfinished !== undefined) this.#push({ at, stream, text: unfinished, partial: true });
    // Cut rarely, so that writing a line stays cheap.
    if (this.#lines.length > this.#limit * 2) this.#lines = this.#lines.slice(-this.#limit);
  }

  #push(line: LogLine): void {
    this.#lines.push(line);
    for (const tell of this.readers) tell(line);
  }
}
