import type { Pod, PodStatus } from '@coracle/api';
import { Activity, noTracer, silentLogger, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { makePod } from './builders.fixture.js';
import type { KubeletParts } from './kubelet-parts.js';
import { PodWorkers } from './pod-workers.js';
import { defaultSettings } from './settings.js';
import { PodCounts } from './stats/pod-counts.js';

/** An object with only the members that the test uses. */
function fake<T extends object>(members: Partial<T>): T {
  return members as T;
}

/** Workers of pods without containers in the runtime, and their actions in order. */
function workersWith(forgetVolumes: () => void = () => {}) {
  const clock = new VirtualClock();
  const done: string[] = [];
  const parts = fake<KubeletParts>({
    clock,
    logger: silentLogger,
    tracer: noTracer,
    activity: new Activity(),
    hostIps: [],
    settings: defaultSettings,
    runtimeName: 'containerd',
    probes: fake<KubeletParts['probes']>({ follow: () => {}, ending: () => {}, forget: () => {} }),
    backoff: fake<KubeletParts['backoff']>({ forget: () => {} }),
    imageBackoff: fake<KubeletParts['imageBackoff']>({ forget: () => {} }),
    cgroups: fake<KubeletParts['cgroups']>({ remove: async () => {} }),
    userNamespaces: fake<KubeletParts['userNamespaces']>({ release: async () => {} }),
    counts: new PodCounts(),
    podLogs: fake<KubeletParts['podLogs']>({ forget: async () => {} }),
    statuses: fake<KubeletParts['statuses']>({
      statusOf: ({ status }: Pod) => status ?? {},
      set: () => void done.push('status'),
      finish: (_pod: Pod, { phase }: PodStatus) => void done.push(`last status ${phase}`),
      forget: () => void done.push('forgotten'),
    }),
    volumes: fake<KubeletParts['volumes']>({
      withTerminationMessages: async (_pod, containers) => containers,
      release: async () => {
        forgetVolumes();
        done.push('volumes released');
      },
      forget: async () => {
        forgetVolumes();
        done.push('volumes');
      },
    }),
  });
  return { clock, done, workers: new PodWorkers(parts) };
}

function deleted(): Pod {
  const pod = makePod();
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

describe('the end of a pod', () => {
  test('K27.4 its volumes are removed before its object', async () => {
    const { clock, done, workers } = workersWith();
    workers.add(deleted());
    await clock.settle();
    expect(done).toEqual(['volumes', 'last status Failed']);
  });

  test('K27.4 its object stays while its volumes do, and is tried again', async () => {
    let isBusy = true;
    const { clock, done, workers } = workersWith(() => {
      if (isBusy) throw new Error('device or resource busy');
    });
    workers.add(deleted());
    await clock.settle();
    expect(done).toEqual([]);
    isBusy = false;
    await clock.advance(10_000);
    expect(done).toEqual(['volumes', 'last status Failed']);
  });

  test('K27.5 its worker is removed once it is deleted from the API', async () => {
    const { clock, done, workers } = workersWith();
    workers.add(deleted());
    await clock.settle();
    done.length = 0;
    workers.remove('uid-1');
    await clock.settle();
    expect([done, workers.has('uid-1')]).toEqual([['forgotten', 'volumes'], false]);
  });

  test('a pod that was removed from the API uses no resources while it is stopped', () => {
    const { workers } = workersWith();
    workers.add(deleted());
    expect(workers.used.amountOf('pods').value()).toBe(1);
    workers.remove('uid-1');
    expect([workers.remainsOf('uid-1'), workers.used.amountOf('pods').value()]).toEqual(['active', 0]);
  });

  test('a pod that has ended releases its volumes once, though its object stays', async () => {
    const { clock, done, workers } = workersWith();
    workers.add({ ...makePod(), status: { phase: 'Succeeded' } });
    const released = workers.released('uid-1').then(() => done.push('told'));
    await clock.settle();
    await released;
    workers.wake('uid-1');
    await clock.settle();
    expect(done).toEqual(['status', 'volumes released', 'told', 'status']);
  });

  test('volumes of a pod that has ended are tried again when they cannot be released', async () => {
    let isBusy = true;
    const { clock, done, workers } = workersWith(() => {
      if (isBusy) throw new Error('device or resource busy');
    });
    workers.add({ ...makePod(), status: { phase: 'Failed' } });
    await clock.settle();
    expect(done).toEqual(['status']);
    isBusy = false;
    await clock.advance(10_000);
    expect(done).toEqual(['status', 'status', 'volumes released']);
  });
});
