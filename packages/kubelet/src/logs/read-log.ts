import { type Clock, concatBytes, sleep } from '@coracle/base';
import { type LogEntry, parseLogLine, timeOf } from './log-line.js';
import type { LogOptions } from './log-options.js';
import type { LogFile } from './log-source.js';

export interface ReadLogOptions extends Omit<LogOptions, 'previous'> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether the container may still write. */
  readonly isRunning: () => Promise<boolean>;
}

const newline = 0x0a;
const blockBytes = 64 * 1024;
/** Maximum interval between checks whether the container of a followed log still runs. */
const lookMs = 1_000;

/** Yields the requested part of a log in chunks. With `follow` it continues until the container has ended. */
export async function* readLog(file: LogFile, options: ReadLogOptions): AsyncGenerator<Uint8Array> {
  const output = new LogOutput(options);
  let current = file;
  let offset = options.tailLines === undefined ? 0 : await startOfLastLines(file, options.tailLines);
  let rest: Uint8Array = new Uint8Array();
  try {
    while (!options.signal.aborted) {
      const running = options.follow && (await options.isRunning());
      for (;;) {
        const block = await current.read(offset, blockBytes);
        if (block.length === 0) break;
        offset += block.length;
        const { lines, tail } = splitLines(rest.length === 0 ? block : concatBytes([rest, block]));
        rest = tail;
        const piece = output.write(lines);
        if (piece.length > 0) yield piece;
        if (output.isFull || options.signal.aborted) return;
      }
      const next = options.follow ? await current.successor() : undefined;
      if (next) {
        await current[Symbol.asyncDispose]();
        [current, offset] = [next, 0];
      } else if (running) await waitForMore(current, options);
      else return;
    }
  } finally {
    await current[Symbol.asyncDispose]();
  }
}

async function waitForMore(file: LogFile, { clock, signal }: ReadLogOptions): Promise<void> {
  const late = new AbortController();
  const either = AbortSignal.any([signal, late.signal]);
  await Promise.race([file.changed(either), sleep(clock, lookMs, either).catch(() => undefined)]);
  late.abort();
}

function splitLines(bytes: Uint8Array): { readonly lines: Uint8Array[]; readonly tail: Uint8Array } {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { lines, tail: bytes.subarray(start) };
}

/** The offset of the last lines of the file, searched from its end. */
async function startOfLastLines(file: LogFile, count: number): Promise<number> {
  const size = await file.size();
  if (count === 0) return size;
  let found = 0;
  for (let end = size; end > 0; end -= blockBytes) {
    const start = Math.max(0, end - blockBytes);
    const block = await file.read(start, end - start);
    for (let index = block.length - 1; index >= 0; index--) {
      // The final line break is not a separator.
      if (block[index] !== newline || start + index === size - 1) continue;
      found += 1;
      if (found === count) return start + index + 1;
    }
  }
  return 0;
}

const encoder = new TextEncoder();
const lineEnd = new Uint8Array([newline]);

/** Selects log entries, and formats them as the options of the request state. */
class LogOutput {
  readonly #options: ReadLogOptions;
  #left: number;
  #atLineStart = true;

  constructor(options: ReadLogOptions) {
    this.#options = options;
    this.#left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  write(lines: readonly Uint8Array[]): Uint8Array {
    const parts: Uint8Array[] = [];
    for (const line of lines) {
      const entry = parseLogLine(line);
      if (entry && this.#isWanted(entry)) this.#add(entry, parts);
      if (this.isFull) break;
    }
    return concatBytes(parts);
  }

  #isWanted(entry: LogEntry): boolean {
    const { since, stream } = this.#options;
    return (stream === undefined || entry.stream === stream) && (since === undefined || timeOf(entry) >= since);
  }

  #add({ time, content, partial }: LogEntry, parts: Uint8Array[]): void {
    const stamp = this.#options.timestamps && this.#atLineStart ? [encoder.encode(`${time} `)] : [];
    this.#atLineStart = !partial;
    for (const part of [...stamp, content, ...(partial ? [] : [lineEnd])]) {
      const cut = part.subarray(0, this.#left);
      parts.push(cut);
      this.#left -= cut.length;
    }
  }
}
