import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../columns/row.fixture.js';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { nodeSelector: { disk: 'ssd' }, containers: [{ name: 'a', image: 'nginx:1' }] },
};
const selector = {
  matchLabels: { app: 'web' },
  matchExpressions: [
    { key: 'tier', operator: 'In', values: ['b', 'a'] },
    { key: 'old', operator: 'DoesNotExist' },
  ],
};
const owner = { uid: 'u', name: 'db', kind: 'StatefulSet', apiVersion: 'apps/v1' };

describe('tables of apps', () => {
  it.each<readonly [string, readonly unknown[], Record<string, unknown>]>([
    [
      'Deployment',
      ['x', '1/3', 2, 1, '5d', 'a', 'nginx:1', 'app=web,!old,tier in (a,b)'],
      {
        spec: { replicas: 3, selector, template },
        status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
      },
    ],
    [
      'ReplicaSet',
      ['x', 3, 2, 1, '5d', 'a', 'nginx:1', 'app=web,!old,tier in (a,b)'],
      { spec: { replicas: 3, selector, template }, status: { replicas: 2, readyReplicas: 1 } },
    ],
    ['StatefulSet', ['x', '0/0', '5d', 'a', 'nginx:1'], { spec: { replicas: 0, serviceName: '', selector, template } }],
    [
      'DaemonSet',
      ['x', 5, 4, 3, 2, 1, 'disk=ssd', '5d', 'a', 'nginx:1', '<none>'],
      {
        spec: { selector: {}, template },
        status: {
          desiredNumberScheduled: 5,
          currentNumberScheduled: 4,
          numberReady: 3,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
          numberMisscheduled: 0,
        },
      },
    ],
    [
      'ControllerRevision',
      ['x', 'statefulset.apps/db', 4, '5d'],
      { revision: 4, metadata: { ownerReferences: [{ ...owner, controller: true }] } },
    ],
    ['ControllerRevision', ['x', '<none>', 1, '5d'], { revision: 1, metadata: { ownerReferences: [owner] } }],
  ])('show a %s as %j', (kind, cells, object) => {
    expect(cellsOf({ apiVersion: 'apps/v1', kind, ...object })).toEqual(cells);
  });
});
