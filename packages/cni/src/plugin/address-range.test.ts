import fc from 'fast-check';
import { expect, test } from 'vitest';
import { candidates, parseRange } from './address-range.js';

test.each([
  ['a /24', { subnet: '10.244.1.0/24' }, undefined, '10.244.1.2', 253],
  ['host bits set', { subnet: '10.244.1.77/24' }, undefined, '10.244.1.2', 253],
  ['after the last', { subnet: '10.244.1.0/24' }, '10.244.1.9', '10.244.1.10', 253],
  ['after the end', { subnet: '10.244.1.0/24' }, '10.244.1.254', '10.244.1.2', 253],
  ['a part', { subnet: '10.0.0.0/24', rangeStart: '10.0.0.10', rangeEnd: '10.0.0.12' }, undefined, '10.0.0.10', 3],
  ['another gateway', { subnet: '10.0.0.0/30', gateway: '10.0.0.2' }, undefined, '10.0.0.1', 1],
])('%s', (_, config, last, first, count) => {
  const all = [...candidates(parseRange(config), last)];
  expect(all[0]).toBe(first);
  expect(all).toHaveLength(count);
});

test('IPv6', () => {
  const range = parseRange({ subnet: 'fd00::/64' });
  expect(range.gateway).toBe('fd00::1');
  expect(candidates(range, undefined).next().value).toBe('fd00::2');
});

test.each([
  [{ subnet: 'x' }, /invalid subnet/],
  [{}, /invalid subnet/],
  [{ subnet: '10.0.0.0/31' }, /too small/],
  [{ subnet: '10.0.0.0/24', rangeStart: '10.0.1.1' }, /rangeStart "10.0.1.1" is not in/],
  [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.9', rangeEnd: '10.0.0.2' }, /after rangeEnd/],
])('refuses %j', (config, message) => {
  expect(() => parseRange(config)).toThrow(message);
});

test('every address once, wherever it starts, and never the gateway', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 30 }), fc.nat(4000), (length, at) => {
      const range = parseRange({ subnet: `10.20.0.0/${length}` });
      const all = [...candidates(range, `10.20.${at >> 8}.${at & 255}`)];
      expect(new Set(all).size).toBe(all.length);
      expect(all).not.toContain(range.gateway);
      expect(all.length).toBe(2 ** (32 - length) - 3);
    }),
  );
});
