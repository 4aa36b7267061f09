import { VirtualClock } from '@coracle/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLogOptions } from './log-options.js';
import type { LogFile } from './log-source.js';
import { readLog } from './read-log.js';

const encoder = new TextEncoder();

/** A file that tests append to. */
class FakeLog implements LogFile {
  bytes: Uint8Array;
  next: FakeLog | undefined;
  closed = false;
  #tell: (() => void) | undefined;

  constructor(text: string) {
    this.bytes = encoder.encode(text);
  }

  append(text: string): void {
    this.bytes = encoder.encode(new TextDecoder().decode(this.bytes) + text);
    this.#tell?.();
  }

  rotate(text: string): void {
    this.next = new FakeLog(text);
    this.#tell?.();
  }

  async size() {
    return this.bytes.length;
  }

  async read(offset: number, length: number) {
    return this.bytes.subarray(offset, offset + length);
  }

  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#tell = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async successor() {
    return this.next;
  }

  async [Symbol.asyncDispose]() {
    this.closed = true;
  }
}

const line = (second: number, text: string, stream = 'stdout', tag = 'F') =>
  `2026-01-01T00:00:${String(second).padStart(2, '0')}.123456789Z ${stream} ${tag} ${text}\n`;

async function read(file: FakeLog, query: string, running = { is: false }): Promise<string> {
  const now = Date.parse('2026-01-01T00:00:30Z');
  const options = parseLogOptions(new URLSearchParams(query), now);
  const { signal } = new AbortController();
  let text = '';
  const decoder = new TextDecoder();
  const pieces = readLog(file, { ...options, clock: new VirtualClock(), signal, isRunning: async () => running.is });
  for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text;
}

describe('logs of containers', () => {
  const text =
    line(1, 'one') + line(2, 'two', 'stderr') + line(3, 'long ', 'stdout', 'P') + line(3, 'line') + line(20, '');

  test.each([
    ['all', '', 'one\ntwo\nlong line\n\n'],
    ['the last lines', 'tailLines=2', 'line\n\n'],
    ['no lines', 'tailLines=0', ''],
    ['more lines than there are', 'tailLines=99', 'one\ntwo\nlong line\n\n'],
    ['a number of bytes', 'limitBytes=6', 'one\ntw'],
    ['what is not older than so many seconds', 'sinceSeconds=28', 'two\nlong line\n\n'],
    ['what is not older than a time', 'sinceTime=2026-01-01T00:00:03Z', 'long line\n\n'],
    ['one stream', 'stream=Stderr', 'two\n'],
    [
      'times',
      'timestamps=true&tailLines=3',
      '2026-01-01T00:00:03.123456789Z long line\n2026-01-01T00:00:20.123456789Z \n',
    ],
  ])('give %s', async (_, query, expected) => {
    const file = new FakeLog(text);
    expect(await read(file, query)).toBe(expected);
    expect(file.closed).toBe(true);
  });

  test('invalid lines are skipped', async () => {
    expect(await read(new FakeLog(`rubbish\n${line(1, 'one')}\n`), '')).toBe('one\n');
  });

  test('bytes that are not text are preserved', async () => {
    const file = new FakeLog(line(1, 'x'));
    file.bytes = file.bytes.map((byte, index) => (index === file.bytes.length - 2 ? 0xff : byte));
    const { signal } = new AbortController();
    const options = { ...parseLogOptions(new URLSearchParams(), 0), clock: new VirtualClock(), signal };
    const pieces: number[] = [];
    for await (const piece of readLog(file, { ...options, isRunning: async () => false })) pieces.push(...piece);
    expect(pieces).toEqual([0xff, 0x0a]);
  });

  test('are followed until the container has ended, over rotations', async () => {
    const running = { is: true };
    const file = new FakeLog(line(1, 'one'));
    const following = read(file, 'follow=true&tailLines=1', running);
    await new Promise((resolve) => setImmediate(resolve));
    file.append(line(2, 'two').slice(0, 10));
    await new Promise((resolve) => setImmediate(resolve));
    file.append(line(2, 'two').slice(10));
    await new Promise((resolve) => setImmediate(resolve));
    running.is = false;
    file.rotate(line(3, 'three'));
    expect(await following).toBe('one\ntwo\nthree\n');
    expect([file.closed, file.next?.closed]).toEqual([true, true]);
  });

  test('the last lines are returned, for a file of any length', async () => {
    const texts = fc.array(
      fc.string({ maxLength: 5_000 }).map((one) => one.replaceAll(/[\n\r]/g, '.')),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(70), async (lines, count) => {
        const file = new FakeLog(lines.map((one) => line(1, one)).join(''));
        const expected = (count === 0 ? [] : lines.slice(-count)).map((one) => `${one}\n`).join('');
        expect(await read(file, `tailLines=${count}`)).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });
});
