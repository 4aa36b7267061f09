import type { Deployment, ReplicaSet } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { findCurrent } from './current-replica-set.js';
import { computeStatus, deadlineIn, isComplete, withFailures, withProgress, withStart } from './deployment-status.js';

const t0 = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(t0 + seconds * 1000).toISOString().replace('.000Z', 'Z');

type Status = NonNullable<Deployment['status']>;

function deployment(replicas: number, status: Status = {}, spec: object = {}): Deployment {
  return {
    metadata: { name: 'web', generation: 2 },
    spec: { replicas, selector: {}, template: {}, progressDeadlineSeconds: 60, ...spec },
    status,
  } as Deployment;
}

function replicaSet(name: string, spec: number, status: NonNullable<ReplicaSet['status']>): ReplicaSet {
  return { metadata: { name }, spec: { replicas: spec, selector: {} }, status } as ReplicaSet;
}

const progressing = (reason: string, updated: number, status = 'True') => ({
  type: 'Progressing',
  status,
  reason,
  message: 'm',
  lastUpdateTime: at(updated),
  lastTransitionTime: at(0),
});

test('DEP-17 of several replica sets with its template the oldest is the current one', () => {
  const made = (name: string, creationTimestamp: string, image: string): ReplicaSet => {
    const template = {
      metadata: { labels: { 'pod-template-hash': name } },
      spec: { containers: [{ name: 'c', image }] },
    };
    return { metadata: { name, creationTimestamp }, spec: { selector: {}, template } };
  };
  const all = [made('b', at(2), 'v1'), made('a', at(1), 'v1'), made('old', at(0), 'v0')];
  const template = { metadata: { labels: {} }, spec: { containers: [{ name: 'c', image: 'v1' }] } };
  expect(findCurrent(deployment(1, {}, { template }), all)?.metadata.name).toBe('a');
});

describe('DEP-23 DEP-24 the numbers', () => {
  const current = replicaSet('new', 3, { replicas: 2, readyReplicas: 2, availableReplicas: 1, terminatingReplicas: 1 });
  const old = replicaSet('old', 2, { replicas: 2, readyReplicas: 1, availableReplicas: 1, terminatingReplicas: 2 });

  test('are those of all replica sets; unavailable ones by the desired number', () => {
    const view = { deployment: deployment(4, { collisionCount: 1 }), current, all: [old, current], now: t0 };
    expect(computeStatus(view)).toMatchObject({
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 2,
      readyReplicas: 3,
      availableReplicas: 2,
      unavailableReplicas: 3,
      terminatingReplicas: 3,
      collisionCount: 1,
    });
  });

  test.each([
    [2, 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'],
    [4, 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'],
  ])('of %i wanted, two are available: %s', (replicas, status, reason, message) => {
    const { conditions } = computeStatus({ deployment: deployment(replicas), current, all: [old, current], now: t0 });
    expect(conditions).toMatchObject([{ type: 'Available', status, reason, message }]);
  });
});

describe('DEP-28 a rollout is complete', () => {
  const done: Status = { updatedReplicas: 3, replicas: 3, availableReplicas: 3, observedGeneration: 2 };
  test.each<[string, Status, boolean]>([
    ['when all pods are new and available, and there are no others', done, true],
    ['not while there are old ones', { ...done, replicas: 4 }, false],
    ['not while some are not available', { ...done, availableReplicas: 2 }, false],
    ['not while some are not new', { ...done, updatedReplicas: 2 }, false],
    ['not before the wish was seen', { ...done, observedGeneration: 1 }, false],
  ])('%s', (_name, status, complete) => {
    expect(isComplete(deployment(3), status)).toBe(complete);
  });
});

describe('DEP-27 progress', () => {
  const current = replicaSet('web-1', 3, { replicas: 0 });
  const view = (before: Status, now: number, spec: object = {}) => ({
    deployment: deployment(3, before, spec),
    current,
    all: [current],
    now: t0 + now * 1000,
  });
  const conditionsOf = (status: Status) =>
    status.conditions?.map(({ reason, message, lastUpdateTime }) => [reason, message, lastUpdateTime]);

  test('of a rollout that progresses is updated each time', () => {
    const before = { updatedReplicas: 1, conditions: [progressing('ReplicaSetUpdated', 0)] };
    const after = { updatedReplicas: 2, replicas: 2, conditions: before.conditions };
    expect(conditionsOf(withProgress(view(before, 30), after))).toEqual([
      ['ReplicaSetUpdated', 'ReplicaSet "web-1" is progressing.', at(30)],
    ]);
  });

  test('of a rollout without progress is Unknown first, and then False', () => {
    const stuck = { updatedReplicas: 1, replicas: 3, conditions: [progressing('ReplicaSetUpdated', 0)] };
    expect(deadlineIn(deployment(3, stuck), stuck, t0 + 20_000)).toBe(41_000);
    expect(withProgress(view(stuck, 60), stuck)).toEqual(stuck);
    const late = withProgress(view(stuck, 61), stuck);
    expect(conditionsOf(late)).toEqual([
      ['ProgressDeadlineExceeded', 'ReplicaSet "web-1" has timed out progressing.', at(61)],
    ]);
    expect(deadlineIn(deployment(3, late), late, t0 + 61_000)).toBeUndefined();
  });

  test('is irrelevant once the rollout is complete, until pods of another revision are created', () => {
    const done = { updatedReplicas: 3, replicas: 3, conditions: [progressing('NewReplicaSetAvailable', 0)] };
    expect(withProgress(view(done, 999), { ...done, availableReplicas: 1 })).toMatchObject({
      conditions: done.conditions,
    });
  });

  test('is not set without a progress deadline', () => {
    const before = { conditions: [progressing('ReplicaSetUpdated', 0)] };
    for (const progressDeadlineSeconds of [undefined, 2_147_483_647])
      expect(withProgress(view(before, 1, { progressDeadlineSeconds }), before).conditions).toEqual([]);
  });

  test('DEP-21 begins with the replica set, created or found', () => {
    expect(conditionsOf(withStart(view({}, 5), {}, { isNew: true }))).toEqual([
      ['NewReplicaSetCreated', 'Created new replica set "web-1"', at(5)],
    ]);
    expect(conditionsOf(withStart(view({}, 5), {}, { isNew: false }))).toEqual([
      ['FoundNewReplicaSet', 'Found new replica set "web-1"', at(5)],
    ]);
    const status = { conditions: [progressing('ReplicaSetUpdated', 0)] };
    expect(withStart(view(status, 5), status, { isNew: false })).toEqual(status);
  });

  test('failures are those of the current replica set, or of any other', () => {
    const failed = (name: string) =>
      replicaSet(name, 1, {
        replicas: 0,
        conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: name }],
      });
    const messages = (status: Status) => status.conditions?.map(({ message }) => message);
    expect(messages(withFailures({}, [failed('old'), failed('new')], failed('new')))).toEqual(['new']);
    expect(messages(withFailures({}, [failed('old'), current], current))).toEqual(['old']);
    expect(withFailures({ conditions: [progressing('x', 0)] }, [current], current).conditions).toHaveLength(1);

    const earlier = withFailures({}, [failed('old')], current);
    const later = { conditions: [...(earlier.conditions ?? []), progressing('x', 0)] };
    expect(messages(withFailures(later, [failed('new')], current))).toEqual(['old', 'm']);
  });
});
