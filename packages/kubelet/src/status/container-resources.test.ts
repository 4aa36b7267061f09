import { ContainerState } from '@coracle/cri';
import { expect, test } from 'vitest';
import { resourcesOf } from './container-resources.js';

const state = ContainerState.CONTAINER_RUNNING;
const requests = { cpu: '2m', memory: '32Mi' };
const limits = { cpu: '10m', memory: '64Mi' };
const container = { name: 'c', resources: { requests, limits } };

test.each([
  {
    name: 'an unchanged quantity keeps its notation',
    linux: { cpuShares: 2, cpuQuota: 1000, cpuPeriod: 100_000, memoryLimitInBytes: 2 ** 26 },
    has: { requests, limits },
  },
  {
    name: 'resources that are not applied yet are reported as the runtime has them',
    linux: { cpuShares: 20, cpuQuota: 100_000, cpuPeriod: 100_000, memoryLimitInBytes: 2 ** 25 },
    has: { requests: { cpu: '20m', memory: '32Mi' }, limits: { cpu: '1', memory: '32Mi' } },
  },
  { name: 'what the runtime does not report is as in the spec', linux: {}, has: { requests, limits } },
])('resources of a container: $name', ({ linux, has }) => {
  expect(resourcesOf(container, { state, resources: { linux } })).toEqual({
    allocatedResources: requests,
    resources: has,
  });
});

test('a terminated container shows its allocated resources', () => {
  const ended = { state: ContainerState.CONTAINER_EXITED, resources: { linux: { cpuShares: 512 } } };
  expect(resourcesOf(container, ended).resources).toEqual({ requests, limits });
  expect(resourcesOf({ name: 'c' }, ended)).toEqual({ resources: {} });
});
