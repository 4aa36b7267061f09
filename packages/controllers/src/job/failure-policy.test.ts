import type { batchv1, Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { matchFailurePolicy } from './failure-policy.js';

const pod: Pod = {
  metadata: { namespace: 'd', name: 'p' },
  status: {
    phase: 'Failed',
    conditions: [{ type: 'DisruptionTarget', status: 'True' }],
    containerStatuses: [
      { name: 'main', ready: false, restartCount: 0, image: '', imageID: '', state: { terminated: { exitCode: 42 } } },
      { name: 'side', ready: false, restartCount: 0, image: '', imageID: '', state: { terminated: { exitCode: 0 } } },
    ],
  },
};
const exits = (operator: string, values: number[], containerName?: string): batchv1.PodFailurePolicyRule => ({
  action: 'FailJob',
  onExitCodes: { operator, values, ...(containerName && { containerName }) },
});

describe('matchFailurePolicy', () => {
  test.each<[string, batchv1.PodFailurePolicyRule[], string | undefined]>([
    ['no rule', [], undefined],
    ['an exit code that is named', [exits('In', [42])], 'FailJob'],
    ['one that is not', [exits('In', [1])], undefined],
    ['one that is not among those named', [exits('NotIn', [1])], 'FailJob'],
    ['another container', [exits('In', [42], 'side')], undefined],
    // A container that has succeeded matches no rule, not even a `NotIn` rule.
    ['a success', [exits('NotIn', [1], 'side')], undefined],
    ['a condition', [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }], 'Ignore'],
    [
      'a condition of another status',
      [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'False' }] }],
      undefined,
    ],
    [
      'the first of two',
      [{ action: 'Count', onPodConditions: [{ type: 'DisruptionTarget' }] }, exits('In', [42])],
      'Count',
    ],
  ])('by %s', (_name, rules, expected) => {
    expect(matchFailurePolicy({ rules }, pod).action).toBe(expected);
  });

  test('reports why the job fails', () => {
    expect(matchFailurePolicy({ rules: [exits('In', [42])] }, pod).message).toBe(
      'Container main for pod d/p failed with exit code 42 matching FailJob rule at index 0',
    );
    const rules = [{ action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget' }] }];
    expect(matchFailurePolicy({ rules }, pod).message).toBe(
      'Pod d/p has condition DisruptionTarget matching FailJob rule at index 0',
    );
  });
});
