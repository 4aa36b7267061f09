import { Activity, type Logger, silentLogger, VirtualClock } from '@coracle/base';
import { ContainerState, CriError, PodSandboxState, type RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../settings.js';
import { ContainerGarbage } from './container-garbage.js';

/** A node with dead containers of deleted pods, in one sandbox each. */
function garbageOf(ids: readonly string[], removeContainer: (id: string) => void) {
  const removed: string[] = [];
  const forgotten: string[] = [];
  const containers = new Set(ids);
  const sandboxes = new Set(ids);
  const labels = (id: string) => ({ 'io.kubernetes.pod.uid': id });
  const dead = { state: ContainerState.CONTAINER_EXITED, metadata: { name: 'c' } };
  const runtime: Partial<RuntimeService> = {
    listContainers: async () => ({
      containers: [...containers].map((id) => ({ id, podSandboxId: id, labels: labels(id), ...dead })),
    }),
    listPodSandbox: async () => ({
      items: [...sandboxes].map((id) => ({ id, labels: labels(id), state: PodSandboxState.SANDBOX_NOTREADY })),
    }),
    removeContainer: async ({ containerId = '' }) => {
      removeContainer(containerId);
      containers.delete(containerId);
      removed.push(`container ${containerId}`);
      return {};
    },
    stopPodSandbox: async () => ({}),
    removePodSandbox: async ({ podSandboxId = '' }) => {
      sandboxes.delete(podSandboxId);
      removed.push(`sandbox ${podSandboxId}`);
      return {};
    },
  };
  const logged: string[] = [];
  const events: string[] = [];
  const logger: Logger = { ...silentLogger, error: (message, { id } = {}) => void logged.push(`${message}: ${id}`) };
  const clock = new VirtualClock();
  const garbage = new ContainerGarbage({
    nodeName: 'n',
    runtime: runtime as RuntimeService,
    settings: defaultSettings,
    clock,
    logger,
    activity: new Activity(),
    recorder: { event: (_about, _type, reason) => void events.push(reason) },
    podLogs: { forgetContainer: async ({ id = '' }) => void forgotten.push(id) },
    remainsOf: () => 'gone',
  });
  return { garbage, clock, removed, forgotten, logged, events };
}

describe('ContainerGarbage', () => {
  test('a container that is already removed is no failure', async () => {
    const { garbage, removed, forgotten, logged } = garbageOf(['a', 'b'], (id) => {
      if (id === 'a') throw new CriError('NotFound', 'container a is not found');
    });
    await garbage.collect(false);
    expect(removed).toEqual(['container b', 'sandbox a', 'sandbox b']);
    expect(forgotten).toEqual(['a', 'b']);
    expect(logged).toEqual([]);
  });

  test('a container that cannot be removed is logged, does not end the pass, and is tried again', async () => {
    let busy = true;
    const { clock, removed, logged, events } = garbageOf(['a', 'b'], (id) => {
      if (id === 'a' && busy) throw new CriError('Unknown', 'container is already in removing state');
    });
    await clock.advance(60_000);
    expect(removed).toEqual(['container b', 'sandbox a', 'sandbox b']);
    expect([logged, events]).toEqual([['What a pod has left could not be removed: a'], []]);
    busy = false;
    await clock.advance(60_000);
    expect(removed).toContain('container a');
    expect(logged).toHaveLength(1);
  });
});
