import { expect, test } from 'vitest';
import { packValue, unpackedLength, unpackValue } from './packed-value.js';

const text = new TextEncoder().encode('the same words again '.repeat(400));
/** Incompressible, so that it is longer than one conversion handles when it is packed. */
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

test('one character of the text is one compressed byte', () => {
  const packed = packValue(text);
  expect(packed.length).toBeLessThan(text.length / 10);
  expect(packed).toMatch(/^[\0-\xff]*$/);
});
