import { expect, test } from 'vitest';
import { WholeLines } from './whole-lines.js';

const cases: { name: string; chunks: number[][]; lines: string[] }[] = [
  { name: 'nothing for an empty stream', chunks: [[]], lines: [] },
  { name: 'a line without an end', chunks: [[65]], lines: ['> A'] },
  { name: 'a line of two chunks', chunks: [[65], [66, 10]], lines: ['> AB\n'] },
  { name: 'empty lines', chunks: [[10, 10]], lines: ['> \n', '> \n'] },
  { name: 'a character that is cut in two', chunks: [[0xc3], [0xa4, 10, 65]], lines: ['> \u00e4\n', '> A'] },
];

test.each(cases)('prefixed lines: $name', ({ chunks, lines }) => {
  const seen: string[] = [];
  const writer = new WholeLines('> ', (bytes) => seen.push(new TextDecoder().decode(bytes)));
  for (const chunk of chunks) writer.write(new Uint8Array(chunk));
  writer.end();
  expect(seen).toEqual(lines);
});
