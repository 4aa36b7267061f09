import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { ExpiringCache } from './expiring-cache.js';

function setUp(ttlMs: number | ((value: string) => number) = 10_000) {
  const clock = new VirtualClock();
  const cache = new ExpiringCache<string>(clock, ttlMs);
  const lookups: string[] = [];
  const get = (key: string) =>
    cache.get(key, async () => {
      lookups.push(key);
      return key;
    });
  return { clock, cache, lookups, get };
}

describe('cached results with a TTL', () => {
  test('concurrent lookups of one key are made once, and again when the answer has expired', async () => {
    const { clock, get, lookups } = setUp();
    await Promise.all([get('a'), get('a'), get('b')]);
    expect(lookups).toEqual(['a', 'b']);
    await clock.advance(10_000);
    await get('a');
    expect(lookups).toEqual(['a', 'b', 'a']);
  });

  test('the TTL may depend on the result', async () => {
    const { clock, get, lookups } = setUp((value) => (value === 'yes' ? 20_000 : 1_000));
    await Promise.all([get('yes'), get('no')]);
    await clock.advance(2_000);
    await Promise.all([get('yes'), get('no')]);
    expect(lookups).toEqual(['yes', 'no', 'no']);
  });

  test('a failure is not cached', async () => {
    const { cache, get } = setUp();
    await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await get('a')).toBe('a');
  });

  test('a lookup that never ends is repeated for callers ten seconds later', async () => {
    const { clock, cache, get } = setUp();
    void cache.get('a', () => new Promise<string>(() => undefined));
    await clock.advance(10_000);
    expect(await get('a')).toBe('a');
  });

  test('the number of cached keys is limited, and very long ones are not cached', async () => {
    const { get, lookups } = setUp();
    const long = 'x'.repeat(10_000);
    for (let i = 0; i < 3_000; i++) await get(`made up ${i}`);
    lookups.length = 0;
    for (const key of ['made up 0', 'made up 2999', long, long]) await get(key);
    expect(lookups).toEqual(['made up 0', long, long]);
  });
});
