import { expect, test } from 'vitest';
import type { Fields } from '../values.js';
import { planDrain } from './plan-drain.js';

const pod = (name: string, more: Fields = {}, controller?: string): Fields => ({
  metadata: { namespace: 'n', name, ...(controller && { ownerReferences: [{ kind: controller, controller: true }] }) },
  ...more,
});
const rules = { force: false, ignoreDaemonSets: false, deleteEmptyDirData: false, skipDeletedAfterSeconds: 0, now: 0 };
const emptyDir = { spec: { volumes: [{ emptyDir: {} }] } };

test.each([
  { what: 'a pod of a replica set goes', pods: [pod('a', {}, 'ReplicaSet')], more: {}, removed: ['a'], refused: [] },
  { what: 'a pod without a controller stands in the way', pods: [pod('a')], more: {}, removed: [], refused: ['n/a'] },
  { what: 'force lets it go', pods: [pod('a')], more: { force: true }, removed: ['a'], refused: [] },
  {
    what: 'a pod of a daemon set stands in the way',
    pods: [pod('a', {}, 'DaemonSet')],
    more: {},
    removed: [],
    refused: ['n/a'],
  },
  {
    what: 'or is ignored',
    pods: [pod('a', {}, 'DaemonSet')],
    more: { ignoreDaemonSets: true },
    removed: [],
    refused: [],
  },
  { what: 'local data stands in the way', pods: [pod('a', emptyDir, 'Job')], more: {}, removed: [], refused: ['n/a'] },
  {
    what: 'a finished pod goes',
    pods: [pod('a', { status: { phase: 'Succeeded' } })],
    more: {},
    removed: ['a'],
    refused: [],
  },
])('$what', ({ pods, more, removed, refused }) => {
  const plan = planDrain(pods, { ...rules, ...more });
  expect({
    removed: plan.remove.map((one) => (one['metadata'] as Fields)['name']),
    refused: [...plan.refusals.values()].flat(),
  }).toEqual({ removed, refused });
});
