import type { Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { podInfoOf } from './pod-info.js';

const pending: Pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', labels: { app: 'web' } },
  spec: {
    priority: 7,
    containers: [{ name: 'app', resources: { requests: { cpu: '250m', memory: '64Mi' } }, ports: [] }],
  },
};

describe('the precomputed fields of a pod', () => {
  test('is worked out once for a version', () => {
    expect(podInfoOf(pending)).toBe(podInfoOf(pending));
    expect(podInfoOf(pending).requests).toMatchObject({ milliCpu: 250, memory: 64 * 1024 * 1024 });
  });

  test('is reused by the bound version, which is a separate pod', () => {
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
  ])('is worked out again for a version with $name', ({ spec }) => {
    podInfoOf(pending);
    const changed: Pod = { ...pending, spec: { containers: [], ...pending.spec, ...spec } };
    expect(podInfoOf(changed, pending).requests.milliCpu).toBeGreaterThan(250);
  });
});
