import { expect, test } from 'vitest';
import { packValue, unpackedLength, unpackValue } from './packed-value.js';

const text = new TextEncoder().encode('the same words again '.repeat(400));
/** Nothing in it is repeated, so that it is longer when it is packed than a text is made of at once. */
const noise = new Uint8Array(70_000);
for (let at = 0, state = 1; at < noise.length; at++) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  noise[at] = state >>> 16;
}

test.each([
  ['text', text],
  ['noise', noise],
  ['every byte', Uint8Array.from({ length: 256 }, (_, byte) => byte)],
  ['one byte', Uint8Array.of(255)],
  ['nothing', new Uint8Array(0)],
])('%s is the same after it was packed', (_what, value) => {
  const packed = packValue(value);
  expect(unpackValue(packed)).toEqual(value);
  expect(unpackedLength(packed)).toBe(value.length);
});

test('a character stands for a byte of what is compressed', () => {
  const packed = packValue(text);
  expect(packed.length).toBeLessThan(text.length / 10);
  expect(packed).toMatch(/^[\0-\xff]*$/);
});
