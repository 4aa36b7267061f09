import { expect, test } from 'vitest';
import { planRuleCondition } from './plan-rule-condition.js';

const none = { pods: 0, namespaces: 0, published: 0, allocated: 0, evicted: 0 };
const recreate = 'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.';

test.each([
  ['NoExecute', none, 'False', 'NotStarted', ''],
  [
    'NoExecute',
    { ...none, pods: 1, namespaces: 1 },
    'True',
    'PodsPendingEviction',
    '1 pod needs to be evicted in 1 namespace.',
  ],
  [
    'NoExecute',
    { ...none, pods: 3, namespaces: 2, evicted: 1 },
    'True',
    'PodsPendingEviction',
    '3 pods need to be evicted in 2 different namespaces. 1 pod evicted since starting the controller.',
  ],
  ['NoExecute', { ...none, evicted: 2 }, 'False', 'Completed', '2 pods evicted since starting the controller.'],
  ['NoSchedule', none, 'False', 'OtherEffect', 'Eviction only happens for the NoExecute effect.'],
  [
    'None',
    { ...none, pods: 2, namespaces: 1, published: 4, allocated: 1 },
    'False',
    'NoEffect',
    `4 published devices selected. 1 allocated device selected. 2 pods would be evicted in 1 namespace if the effect was NoExecute. ${recreate}`,
  ],
])('%s, %o: %s %s', (effect, effects, status, reason, message) => {
  const rule = { metadata: { name: 'r' }, spec: { taint: { key: 'k', effect } } };
  expect(planRuleCondition(rule, effects)).toEqual({ type: 'EvictionInProgress', status, reason, message });
});
