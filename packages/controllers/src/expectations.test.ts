import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { Expectations } from './expectations.js';

const key = 'default/web';

function setUp() {
  const clock = new VirtualClock();
  return { clock, expectations: new Expectations(clock) };
}

describe('RS-3 to RS-7 expectations', () => {
  test('of nothing are satisfied', () => {
    expect(setUp().expectations.satisfied(key)).toBe(true);
  });

  test('of creations are satisfied when as many were seen', () => {
    const { expectations } = setUp();
    expectations.expect(key, { creations: 2 });
    expectations.creationObserved(key);
    expect(expectations.satisfied(key)).toBe(false);

    expectations.creationObserved(key);
    expect(expectations.satisfied(key)).toBe(true);
  });

  test('of deletions count each pod once, even if its deletion is observed repeatedly', () => {
    const { expectations } = setUp();
    expectations.expect(key, { deletions: ['a', 'b'] });
    for (const uid of ['a', 'a', 'stranger']) expectations.deletionObserved(key, uid);
    expect(expectations.satisfied(key)).toBe(false);

    expectations.deletionObserved(key, 'b');
    expect(expectations.satisfied(key)).toBe(true);
  });

  test('of one key are not those of another', () => {
    const { expectations } = setUp();
    expectations.expect(key, { creations: 1 });
    expectations.creationObserved('default/other');

    expect([expectations.satisfied(key), expectations.satisfied('default/other')]).toEqual([false, true]);
  });

  test('RS-8 are replaced by new ones', () => {
    const { expectations } = setUp();
    expectations.expect(key, { creations: 5 });
    expectations.expect(key, { deletions: ['a'] });
    expectations.deletionObserved(key, 'a');

    expect(expectations.satisfied(key)).toBe(true);
  });

  test('RS-6 are dropped after five minutes, whatever the time of day, and when their owner is deleted', async () => {
    const { clock, expectations } = setUp();
    expectations.expect(key, { creations: 1 });
    await clock.advance(5 * 60_000);
    expect(expectations.satisfied(key)).toBe(false);
    await clock.advance(1);
    expect(expectations.satisfied(key)).toBe(true);

    expectations.expect(key, { creations: 1 });
    clock.setForward(3_600_000);
    expect(expectations.satisfied(key)).toBe(false);

    expectations.forget(key);
    expect(expectations.satisfied(key)).toBe(true);
  });
});
