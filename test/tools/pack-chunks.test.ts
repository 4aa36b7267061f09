import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { expect, test } from 'vitest';
// @ts-expect-error: a tool, in JavaScript
import { packChunks } from '../../tools/pack-chunks.mjs';

type Exports = Record<string, unknown>;
type Chunk = (exports: Exports, require: (name: string) => Exports, module: { exports: Exports }) => void;

/** The chunks of a pack as the launcher evaluates them. */
async function pack(texts: Readonly<Record<string, string>>): Promise<Record<string, Chunk>> {
  const folder = mkdtempSync(join(tmpdir(), 'pack-chunks-'));
  try {
    const file = join(folder, 'program.pack');
    const outputFiles = Object.entries(texts).map(([path, text]) => ({ path, text }));
    await packChunks({ outputFiles }, { file, entry: 'main.js', words: [] });
    const written = readFileSync(file, 'latin1');
    const start = 10 + Number(written.slice(0, 10));
    const index = JSON.parse(written.slice(10, start)) as { chunks: Record<string, [number, number]> };
    return Object.fromEntries(
      Object.entries(index.chunks).map(([name, [offset, length]]) => [
        name,
        runInThisContext(written.slice(start + offset, start + offset + length)) as Chunk,
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function evaluate(chunk: Chunk | undefined, require: (name: string) => Exports = () => ({})): Exports {
  const module = { exports: {} };
  chunk?.(module.exports, require, module);
  return module.exports;
}

test('chunks are strict code, as the modules are that they were made of', async () => {
  const chunks = await pack({ 'main.js': 'function receiver(){return this}export{receiver};' });
  const { receiver } = evaluate(chunks['main.js']) as { receiver: () => unknown };
  expect(receiver()).toBeUndefined();
});

test('what a chunk imports from another is read once, not at every use', async () => {
  const chunks = await pack({
    'main.js':
      'import{two as second,one}from"./chunk-A.js";import"./chunk-B.js";function sum(){return one()+second()}export{sum};',
  });
  const required: string[] = [];
  let reads = 0;
  const { sum } = evaluate(chunks['main.js'], (name) => {
    required.push(name);
    const read = (value: number) => {
      reads++;
      return () => value;
    };
    return {
      get one() {
        return read(1);
      },
      get two() {
        return read(2);
      },
    };
  }) as { sum: () => number };
  expect([sum(), sum()]).toEqual([3, 3]);
  expect({ required, reads }).toEqual({ required: ['./chunk-A.js', './chunk-B.js'], reads: 2 });
});
