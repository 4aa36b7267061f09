import { expect, test } from 'vitest';
import { Compressions } from './compressions.js';

test('answers are compressed few at a time and in order, and those of clients that have gone not at all', () => {
  const begun: { readonly text: string; readonly end: () => void }[] = [];
  const done: string[] = [];
  const compressions = new Compressions(
    (bytes, end) => begun.push({ text: String(bytes), end: () => end(null, bytes) }),
    2,
  );
  let hasGone = false;
  for (const text of ['a', 'b', 'c', 'd']) {
    compressions.add({
      bytes: () => Buffer.from(text),
      isWanted: () => text !== 'c' || !hasGone,
      done: (_error, compressed) => done.push(String(compressed)),
    });
  }
  const texts = () => begun.map(({ text }) => text);
  expect(texts()).toEqual(['a', 'b']);
  hasGone = true;
  begun[1]?.end();
  expect([texts(), done]).toEqual([['a', 'b', 'd'], ['b']]);
  begun[0]?.end();
  begun[2]?.end();
  expect(done).toEqual(['b', 'a', 'd']);
});
