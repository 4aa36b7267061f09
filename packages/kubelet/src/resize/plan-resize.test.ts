import type { Container } from '@coracle/api';
import { ContainerState } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { computePodActions } from '../compute-pod-actions.js';
import { defaultSettings } from '../settings.js';
import { changedResources, wantedResources } from './plan-resize.js';

const parts = { settings: defaultSettings, memoryCapacity: 4e9 };
const probes = { isStarted: () => true, failedProbe: () => undefined };
const small = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } };

function actionsFor(container: Container, before: NonNullable<Container['resources']>) {
  const pod = makePod({ containers: [container] });
  const desired = wantedResources(parts, pod);
  const running = {
    id: 'c1',
    metadata: { name: container.name, attempt: 0 },
    state: ContainerState.CONTAINER_RUNNING,
    resources: { linux: wantedResources(parts, pod)({ ...container, resources: before }) },
  };
  const sandbox = { id: 's1', state: 0 as const, network: { ip: '10.0.0.1' } };
  const { resize, kill, start } = computePodActions(
    pod,
    { sandboxes: [sandbox], containers: [running], observedAt: 0 },
    { probes, desired },
  );
  return { resize: resize.map(({ id }) => id), kill: kill.map(({ message }) => message), start: start.length };
}

describe('a container whose resources change', () => {
  const container = (limits: Record<string, string>, more: Partial<Container> = {}): Container => ({
    name: 'web',
    resources: { ...small, limits },
    ...more,
  });

  test('continues to run with others', () => {
    expect(actionsFor(container({ cpu: '300m', memory: '64Mi' }), small)).toEqual({
      resize: ['c1'],
      kill: [],
      start: 0,
    });
  });

  test('is unchanged when it has its resources', () => {
    expect(actionsFor(container({ cpu: '0.2', memory: '65536Ki' }), small)).toEqual({ resize: [], kill: [], start: 0 });
  });

  test('is restarted when its resizePolicy is RestartContainer for what has changed', () => {
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    const grown = container({ cpu: '200m', memory: '128Mi' }, { resizePolicy });
    expect(actionsFor(grown, small)).toEqual({
      resize: [],
      kill: ['Container web resize requires restart, will be restarted'],
      start: 1,
    });
    const faster = container({ cpu: '400m', memory: '64Mi' }, { resizePolicy });
    expect(actionsFor(faster, small).resize).toEqual(['c1']);
  });
});

test('a runtime that does not report resources changes nothing', () => {
  expect(changedResources({ id: 'c1' }, { cpuShares: 5 })).toEqual([]);
  expect(changedResources({ id: 'c1', resources: { linux: {} } }, { cpuShares: 5 })).toEqual([]);
});
