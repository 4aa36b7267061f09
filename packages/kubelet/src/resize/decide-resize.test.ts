import type { Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { hasSameResources, lastAllocated, withAllocated } from './allocated-pod.js';
import { decideResize } from './decide-resize.js';

type Amounts = Record<string, string>;
const asking = (requests: Amounts, limits: Amounts = {}): Pod =>
  makePod({ containers: [{ name: 'c', resources: { requests, limits } }] });
const allocated = asking({ cpu: '1', memory: '1Gi' });
const allocatable = { cpu: '4', memory: '4Gi' };
const used = { cpu: '3', memory: '3Gi' };

function decide(desired: Pod, pinnedBy?: string) {
  const amountOf = (name: string) => parseQuantity(used[name as keyof typeof used]);
  return decideResize({ desired, allocated, allocatable, used: amountOf, ...(pinnedBy && { pinnedBy }) });
}

describe('a resize', () => {
  test.each([
    { name: 'what fits', desired: asking({ cpu: '2', memory: '1Gi' }), says: { kind: 'allocate' } },
    { name: 'less', desired: asking({ cpu: '500m', memory: '1Gi' }), says: { kind: 'allocate' } },
    {
      name: 'more than is free',
      desired: asking({ cpu: '2500m', memory: '1Gi' }),
      says: {
        kind: 'Deferred',
        message: "Node didn't have enough resource: cpu, requested: 2500, used: 2000, capacity: 4000",
      },
    },
    {
      name: 'more CPU than the node has',
      desired: asking({ cpu: '5', memory: '1Gi' }),
      says: { kind: 'Infeasible', message: "Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000" },
    },
    {
      name: 'more memory than the node has',
      desired: asking({ cpu: '5', memory: '5Gi' }),
      says: {
        kind: 'Infeasible',
        message: "Node didn't have enough capacity: memory, requested: 5368709120, capacity: 4294967296",
      },
    },
  ])('to $name', ({ desired, says }) => {
    expect(decide(desired)).toEqual(says);
  });

  test('of a pod that is pinned to its CPUs', () => {
    const both = { cpu: '2', memory: '1Gi' };
    expect(decide(asking(both, both), 'CPU Manager static policy')).toEqual({
      kind: 'Infeasible',
      message: 'Resize is infeasible for Guaranteed Pods alongside CPU Manager static policy',
    });
    expect(decide(asking(both), 'CPU Manager static policy')).toEqual({ kind: 'allocate' });
  });
});

test('a pod runs with its allocated resources, and the rest of its spec in the API', () => {
  const desired = { ...asking({ cpu: '2' }), metadata: { name: 'web', labels: { new: 'label' } } };
  expect(withAllocated(desired, allocated)).toMatchObject({
    metadata: { labels: { new: 'label' } },
    spec: { containers: [{ resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
  });
  expect(hasSameResources(asking({ cpu: '1000m', memory: '1024Mi' }), allocated)).toBe(true);
  expect(hasSameResources(asking({ cpu: '1' }), allocated)).toBe(false);
});

test('a kubelet that restarts finds allocated resources in the status of a pending resize', () => {
  const pod = asking({ cpu: '9' }, { cpu: '9' });
  const status = {
    containerStatuses: [
      {
        name: 'c',
        image: '',
        imageID: '',
        ready: true,
        restartCount: 0,
        allocatedResources: { cpu: '1' },
        resources: { limits: { cpu: '2' } },
      },
    ],
  };
  const pending = { type: 'PodResizePending', status: 'True', reason: 'Infeasible' };
  const found = lastAllocated({ ...pod, status: { ...status, conditions: [pending] } });
  expect(found.spec?.containers[0]?.resources).toEqual({ requests: { cpu: '1' }, limits: { cpu: '2' } });
  expect(lastAllocated({ ...pod, status }).spec).toBe(pod.spec);
});
