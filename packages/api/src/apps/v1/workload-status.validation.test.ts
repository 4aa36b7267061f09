import { describe, expect, test } from 'vitest';
import { problemsOnStatusUpdate } from '../../rules.fixture.js';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const sample = (kind: string, status: object = {}) => ({
  apiVersion: kind === 'ReplicationController' ? 'v1' : 'apps/v1',
  kind,
  metadata: { name: 'web' },
  spec: { selector: kind === 'ReplicationController' ? labels : { matchLabels: labels }, template },
  status,
});

const negative = 'must be greater than or equal to 0';
const tooMany = 'cannot be greater than status.replicas';

describe('the status of a workload', () => {
  const cases: readonly { kind: string; name: string; before?: object; status: object; problems: readonly string[] }[] =
    [
      ...['Deployment', 'ReplicaSet', 'StatefulSet', 'ReplicationController'].map((kind) => ({
        kind,
        name: 'counts what there is',
        status: { replicas: 3, readyReplicas: 2, availableReplicas: 1, observedGeneration: 7 },
        problems: [],
      })),
      {
        kind: 'Deployment',
        name: 'counts no part as larger than the whole',
        status: { replicas: 1, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 3, unavailableReplicas: -1 },
        problems: [
          `status.unavailableReplicas: Invalid value: -1: ${negative}`,
          `status.updatedReplicas: Invalid value: 2: ${tooMany}`,
          `status.readyReplicas: Invalid value: 2: ${tooMany}`,
          `status.availableReplicas: Invalid value: 3: ${tooMany}`,
          'status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
        ],
      },
      {
        kind: 'ReplicaSet',
        name: 'counts no part as larger than the whole',
        status: { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 0, availableReplicas: 1 },
        problems: [
          `status.fullyLabeledReplicas: Invalid value: 2: ${tooMany}`,
          'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
        ],
      },
      {
        kind: 'ReplicationController',
        name: 'counts no part as larger than the whole',
        status: {
          replicas: 1,
          fullyLabeledReplicas: 2,
          readyReplicas: 0,
          availableReplicas: 1,
          observedGeneration: -1,
        },
        problems: [
          `status.observedGeneration: Invalid value: -1: ${negative}`,
          `status.fullyLabeledReplicas: Invalid value: 2: ${tooMany}`,
          'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
        ],
      },
      {
        kind: 'StatefulSet',
        name: 'counts no part as larger than the whole',
        status: { replicas: 1, readyReplicas: 1, currentReplicas: 2, updatedReplicas: 2, availableReplicas: 2 },
        problems: [
          `status.currentReplicas: Invalid value: 2: ${tooMany}`,
          `status.updatedReplicas: Invalid value: 2: ${tooMany}`,
          `status.availableReplicas: Invalid value: 2: ${tooMany}`,
          'status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas',
        ],
      },
      {
        kind: 'DaemonSet',
        name: 'counts nothing that there cannot be',
        status: { currentNumberScheduled: -1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: -2 },
        problems: [
          `status.currentNumberScheduled: Invalid value: -1: ${negative}`,
          `status.numberReady: Invalid value: -2: ${negative}`,
        ],
      },
      ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => ({
        kind,
        name: 'does not forget a collision',
        before: { collisionCount: 2 },
        status: { collisionCount: 1 },
        problems: ['status.collisionCount: Invalid value: 1: cannot be decremented'],
      })),
    ];
  test.each(cases)('of a $kind $name', ({ kind, before, status, problems }) => {
    expect(problemsOnStatusUpdate(sample(kind, before), { status })).toEqual(problems);
  });
});
