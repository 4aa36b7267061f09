import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JoinedChunks } from './joined-chunks.js';

function blocksOf(chunks: readonly Uint8Array[], size: number): Uint8Array[] {
  const joined = new JoinedChunks(chunks);
  const blocks: Uint8Array[] = [];
  for (;;) {
    const bytes = joined.next(new Uint8Array(size));
    if (!bytes) return blocks;
    blocks.push(bytes);
  }
}

test('the blocks have all bytes of the chunks in their order, and only the last is short', () => {
  const property = (chunks: Uint8Array[], size: number) => {
    const blocks = blocksOf(chunks, size);
    expect(Buffer.concat(blocks)).toEqual(Buffer.concat(chunks));
    expect(blocks.slice(0, -1).every(({ length }) => length === size)).toBe(true);
    expect(blocks.every(({ length }) => length > 0)).toBe(true);
  };
  const sizes = fc.integer({ min: 1, max: 16 });
  fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), sizes, property));
});

test('a chunk that fills a block is not copied', () => {
  const chunk = new Uint8Array(10);
  const [first, second, third] = blocksOf([chunk], 4);
  expect([first?.buffer === chunk.buffer, second?.buffer === chunk.buffer]).toEqual([true, true]);
  expect([third?.buffer === chunk.buffer, third?.length]).toEqual([false, 2]);
});
