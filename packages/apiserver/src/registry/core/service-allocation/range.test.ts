import { seededRandom } from '@coracle/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressRange, offsetsOf, portRange } from './range.js';

describe('address ranges', () => {
  test.each([
    ['10.96.0.0/16', 65_534, 256, '10.96.0.1'],
    ['10.0.0.0/24', 254, 16, '10.0.0.1'],
    ['10.0.0.0/28', 14, 16, '10.0.0.1'],
    ['10.0.0.0/30', 2, 0, '10.0.0.1'],
    ['fd00::/112', 65_535, 256, 'fd00::1'],
  ])('%s has %i addresses, %i of them in the static band, from %s on', (text, size, band, first) => {
    const range = addressRange(text);
    expect(range).toMatchObject({ size, staticBand: band });
    expect(range?.at(0)).toBe(first);
  });

  test('the network and the broadcast address are in the range but not allocated', () => {
    const range = addressRange('10.96.0.0/24');
    for (const address of ['10.96.0.0', '10.96.0.255']) {
      expect([address, range?.covers(address), range?.holds(address)]).toEqual([address, true, false]);
    }
    expect(range?.covers('10.97.0.1')).toBe(false);
  });

  test('every allocated address is in the network', () => {
    const range = addressRange('10.96.0.0/20');
    fc.assert(fc.property(fc.integer({ min: 0, max: 4093 }), (offset) => range?.holds(range.at(offset)) === true));
  });
});

describe('port ranges', () => {
  test.each([
    ['30000-32767', 30_000, 32_767],
    ['8000+10', 8000, 8010],
    ['99', 99, 99],
  ])('%s is from %i to %i', (text, first, last) => {
    expect(portRange(text)).toMatchObject({ first, last });
  });

  test.each(['', '5-4', '1-70000', 'a-b'])('%j is not a range', (text) => expect(portRange(text)).toBeUndefined());

  test('the default range reserves its first 86 ports for static allocation', () => {
    expect(portRange('30000-32767')?.staticBand).toBe(86);
  });
});

test('every offset is allocated once, and those of the static band last', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer(), (size, seed) => {
      const staticBand = Math.min(16, size);
      const range = { size, staticBand, at: (offset: number) => offset, holds: () => true };
      const offsets = [...offsetsOf(range, seededRandom(seed))];
      expect([...offsets].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
      expect(offsets.slice(size - staticBand).every((offset) => offset < staticBand)).toBe(true);
    }),
  );
});
