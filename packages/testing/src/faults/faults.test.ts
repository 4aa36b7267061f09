import { Activity, seededRandom, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { type FaultRates, Faults } from './faults.js';

const always: FaultRates = { delay: 1, fail: 0, lose: 0, cut: 0, duplicate: 0 };

test('nothing counts as idle before delayed calls have continued', async () => {
  const activity = new Activity();
  const clock = new VirtualClock({ activity });
  const faults = new Faults({ random: seededRandom(1), activity, rates: always });
  for (let round = 0; round < 20; round++) {
    const steps: string[] = [];
    const answer = faults.call(
      async () => 'answer',
      () => new Error('lost'),
    );
    void answer.then((text) => steps.push(text)).then(() => steps.push('used'));
    await clock.settle();
    expect([round, ...steps]).toEqual([round, 'answer', 'used']);
  }
});
