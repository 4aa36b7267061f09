import type { Pod, PodStatus } from '@coracle/api';
import { expect, test } from 'vitest';
import { formatPodTrouble } from './format-pod-trouble.js';
import { formatWhy } from './format-why.js';

const container = { name: 'c', ready: false, restartCount: 0, image: 'web', imageID: '' };
const warning = (reason: string, message: string) => ({ type: 'Warning', reason, message });

function pod(status: PodStatus, nodeName = 'a'): Pod {
  return { metadata: { name: 'web' }, spec: { nodeName, containers: [{ name: 'c' }] }, status };
}

test.each<[string, PodStatus, ReturnType<typeof warning>[], string[]]>([
  [
    'an image that cannot be pulled',
    { containerStatuses: [{ ...container, state: { waiting: { reason: 'ErrImagePull', message: 'no such host' } } }] },
    [],
    ['  container c  ErrImagePull: no such host'],
  ],
  [
    'a missing ConfigMap, which only events name',
    { containerStatuses: [{ ...container, state: { waiting: { reason: 'ContainerCreating' } } }] },
    [
      warning('FailedMount', 'timed out'),
      { type: 'Normal', reason: 'Scheduled', message: 'to a' },
      warning('FailedMount', 'configmap "web" not found'),
      warning('FailedScheduling', '0/1 nodes are available'),
    ],
    ['  container c  ContainerCreating', '  event FailedMount: configmap "web" not found'],
  ],
  [
    'an init container that fails again and again',
    {
      initContainerStatuses: [
        {
          ...container,
          name: 'init',
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
          lastState: { terminated: { exitCode: 3, reason: 'Error', message: 'no database\n' } },
        },
      ],
    },
    [],
    [
      '  container init  CrashLoopBackOff: back-off 10s',
      '  container init  ended with exit code 3: Error: no database',
    ],
  ],
  [
    'a readiness probe that fails',
    { containerStatuses: [{ ...container, state: { running: {} } }] },
    [warning('Unhealthy', 'Readiness probe failed: connection refused')],
    ['  container c  running, but not ready', '  event Unhealthy: Readiness probe failed: connection refused'],
  ],
  [
    'an eviction',
    { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    [],
    ['  Evicted: The node was low on resource: memory.'],
  ],
])('a pod on a node that is not ready because of %s', (_, status, events, expected) => {
  expect(formatPodTrouble(pod(status), events)).toEqual(['', 'Why it is not ready:', ...expected]);
});

test.each<[string, Pod]>([
  ['ready', pod({ conditions: [{ type: 'Ready', status: 'True' }] })],
  ['ended well', pod({ phase: 'Succeeded' })],
  ['without a node', pod({}, '')],
])('a pod that is %s has no trouble', (_, one) => {
  expect(formatPodTrouble(one, [warning('Unhealthy', 'probe failed')])).toEqual([]);
});

test('the trouble of a pod comes before the nodes', () => {
  const placed = { pod: 'default/web', node: 'a', gates: [], attempts: [], nodes: [], suggestions: [] };
  expect(formatWhy(placed, ['', 'Why it is not ready:', '  container c  ErrImagePull'])).toBe(
    'default/web is on a\n\nWhy it is not ready:\n  container c  ErrImagePull\n\nNodes:\n',
  );
});
