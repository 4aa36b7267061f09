import type { Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { podInfoOf } from './pod-info.js';

const pending: Pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', labels: { app: 'web' } },
  spec: {
    priority: 7,
    containers: [{ name: 'app', resources: { requests: { cpu: '250m', memory: '64Mi' } }, ports: [] }],
  },
};

describe('the precomputed fields of a pod', () => {
  test('are computed once for a version', () => {
    expect(podInfoOf(pending)).toBe(podInfoOf(pending));
    expect(podInfoOf(pending).requests).toMatchObject({ milliCpu: 250, memory: 64 * 1024 * 1024 });
  });

  test('are reused by the bound version', () => {
    const before = podInfoOf(pending);
    const bound: Pod = {
      metadata: { ...pending.metadata, labels: { app: 'other' } },
      spec: { ...pending.spec, containers: pending.spec?.containers ?? [], nodeName: 'node-1' },
    };
    const after = podInfoOf(bound, pending);
    expect(after.requests).toBe(before.requests);
    expect(after.pod).toBe(bound);
    expect(after.labels).toEqual({ app: 'other' });
  });

  test.each<{ name: string; spec: Partial<NonNullable<Pod['spec']>> }>([
    { name: 'other containers', spec: { containers: [{ name: 'app', resources: { requests: { cpu: '1' } } }] } },
    { name: 'another overhead', spec: { overhead: { cpu: '1' } } },
    { name: 'resources of its own', spec: { resources: { requests: { cpu: '2' } } } },
    { name: 'more init containers', spec: { initContainers: [{ name: 'i', resources: { requests: { cpu: '3' } } }] } },
  ])('are computed again for a version with $name', ({ spec }) => {
    podInfoOf(pending);
    const changed: Pod = { ...pending, spec: { containers: [], ...pending.spec, ...spec } };
    expect(podInfoOf(changed, pending).requests.milliCpu).toBeGreaterThan(250);
  });
});

describe('a pod that is being resized', () => {
  const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
  /** A pod with these requests, and these allocated resources of its container. */
  const resized = (requested: string, actual: string, reason?: string) =>
    makePod('p', {
      spec: { containers: [{ name: 'app', image: 'app', ...requests(requested) }] },
      status: {
        containerStatuses: [
          {
            ...{ name: 'app', image: 'app', imageID: '', ready: true, restartCount: 0 },
            ...{ ...requests(actual), allocatedResources: { cpu: actual } },
          },
        ],
        ...(reason && { conditions: [{ type: 'PodResizePending', status: 'True', reason }] }),
      },
    });

  test.each([
    ['counts with what it asks for while it has less', resized('2', '1'), 2_000],
    ['counts with what it has while it asks for less', resized('1', '2'), 2_000],
    ['counts with what it asks for while that is put off', resized('2', '1', 'Deferred'), 2_000],
    ['counts with what it has if it cannot have more', resized('9', '1', 'Infeasible'), 1_000],
    ['counts with what it asks for once it has that, however it is written', resized('1', '1000m'), 1_000],
  ])('%s', (_, pod, milliCpu) => {
    expect(podInfoOf(pod).requests.milliCpu).toBe(milliCpu);
  });

  test.each([
    [
      'what it has while it asks for less',
      '1',
      { resources: requests('2').resources, allocatedResources: { cpu: '1' } },
      2_000,
    ],
    [
      'what it asks for while it has less',
      '3',
      { resources: requests('2').resources, allocatedResources: { cpu: '2' } },
      3_000,
    ],
    ['what is allocated to it', '1', { resources: requests('1').resources, allocatedResources: { cpu: '2' } }, 2_000],
    ['what it asks for before the kubelet has reported', '1', {}, 1_000],
  ])('with pod-level resources counts with %s', (_, cpu, status, milliCpu) => {
    const pod = makePod('p', { spec: { containers: [{ name: 'app', image: 'app' }], ...requests(cpu) }, status });
    expect(podInfoOf(pod).requests.milliCpu).toBe(milliCpu);
    expect(podInfoOf(pod).presumed.milliCpu).toBe(milliCpu);
  });

  test('counts with the smaller requests once the kubelet has resized it', () => {
    const before = resized('1', '2');
    const after: Pod = { ...before, status: resized('1', '1').status ?? {} };
    expect([podInfoOf(before), podInfoOf(after, before)].map(({ requests }) => requests.milliCpu)).toEqual([
      2_000, 1_000,
    ]);
  });
});
