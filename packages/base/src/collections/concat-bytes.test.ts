import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concatBytes } from './concat-bytes.js';

test('bytes are in the order of their chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (chunks) => {
      expect([...concatBytes(chunks)]).toEqual(chunks.flatMap((chunk) => [...chunk]));
    }),
  );
});

test('the result shares nothing with its chunks', () => {
  const chunk = Uint8Array.of(1, 2);
  const all = concatBytes([chunk]);
  chunk[0] = 9;
  expect([...all]).toEqual([1, 2]);
});
