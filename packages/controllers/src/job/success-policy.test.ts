import { describe, expect, test } from 'vitest';
import { IndexSet } from './index-set.js';
import { matchSuccessPolicy } from './success-policy.js';

describe('matchSuccessPolicy', () => {
  test.each([
    ['all that are named', [{ succeededIndexes: '0,2' }], [0, 2], 0],
    ['not all that are named', [{ succeededIndexes: '0,2' }], [0, 1], undefined],
    ['enough', [{ succeededCount: 2 }], [0, 1], 0],
    ['too few', [{ succeededCount: 3 }], [0, 1], undefined],
    ['enough of those named', [{ succeededIndexes: '0-3', succeededCount: 2 }], [1, 3], 0],
    ['enough, but others', [{ succeededIndexes: '0,1', succeededCount: 2 }], [1, 3], undefined],
    ['what the second rule asks', [{ succeededIndexes: '4' }, { succeededCount: 1 }], [1], 1],
    ['nothing yet', [{ succeededCount: 0 }], [], undefined],
  ])('%s', (_name, rules, done, index) => {
    const facts = { completions: 5, succeeded: IndexSet.empty.with(done) };
    expect(matchSuccessPolicy({ rules }, facts)).toBe(
      index === undefined ? undefined : `Matched rules at index ${index}`,
    );
  });
});
