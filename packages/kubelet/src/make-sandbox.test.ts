import { noTracer, silentLogger, VirtualClock } from '@coracle/base';
import { PodSandboxState, type RuntimeService } from '@coracle/cri';
import { expect, test } from 'vitest';
import { fakeReferences, makePod } from './builders.fixture.js';
import { PodCgroups } from './cgroups/pod-cgroups.js';
import { currentSandbox, makeSandbox, type SandboxParts } from './make-sandbox.js';
import { newPodWork } from './pod-work.js';
import { defaultSettings } from './settings.js';
import { PodCounts } from './stats/pod-counts.js';
import { UserNamespaces } from './user-namespaces.js';

interface Fakes {
  /** If set, cgroup limits are rejected with this reason. */
  readonly refusal?: string;
  readonly podSandboxStatus?: RuntimeService['podSandboxStatus'];
}

const present: RuntimeService['podSandboxStatus'] = async ({ podSandboxId = '' }) => ({
  status: { id: podSandboxId, state: PodSandboxState.SANDBOX_READY },
  containersStatuses: [],
});

/** A pod without a sandbox, on a runtime that creates one. */
function subject({ refusal, podSandboxStatus = present }: Fakes) {
  const events: string[] = [];
  const parents: (string | undefined)[] = [];
  const runtime: Partial<RuntimeService> = {
    runPodSandbox: async ({ config }) => {
      parents.push(config?.linux?.cgroupParent);
      return { podSandboxId: 's1' };
    },
    podSandboxStatus,
  };
  const recorder: SandboxParts['recorder'] = {
    event: (_about, type, reason, message) => void events.push(`${type} ${reason}: ${message}`),
  };
  const cgroups = new PodCgroups({
    host: {
      version: 2,
      apply: async () => {
        if (refusal !== undefined) throw new Error(refusal);
      },
      remove: async () => undefined,
      children: async () => [],
    },
    settings: defaultSettings,
    capacity: { cpu: '2', memory: '4Gi' },
    nodeName: 'n',
    clock: new VirtualClock(),
    logger: silentLogger,
    recorder,
    activePods: () => [],
  });
  const parts: SandboxParts = {
    cgroups,
    settings: defaultSettings,
    recorder,
    nodeDns: async () => ({ servers: [], searches: [], options: [] }),
    userNamespaces: new UserNamespaces(undefined),
    runtime: runtime as RuntimeService,
    probes: { follow: () => undefined },
    volumes: { withTerminationMessages: async (_pod, containers) => containers },
    tracer: noTracer,
    counts: new PodCounts(),
    references: fakeReferences(),
    health: { runtimeProblem: undefined, networkProblem: undefined, supportsUserNamespaces: () => false },
  };
  const work = newPodWork(makePod(), [], new AbortController().signal);
  return { parts, work, events, parents };
}

const unseen = 'Warning FailedPodSandBoxStatus: Unable to get pod sandbox status: ';

test('a sandbox is created within the cgroup of its pod', async () => {
  const { parts, work, events, parents } = subject({});
  expect(await makeSandbox(parts, work, 0)).toMatchObject({ id: 's1' });
  expect([events, parents]).toEqual([[], ['/kubepods/besteffort/poduid-1']]);
});

test('a sandbox whose status cannot be read is kept for the next attempt, with an event', async () => {
  const podSandboxStatus = () => Promise.reject(new Error('runtime is busy'));
  const { parts, work, events } = subject({ podSandboxStatus });
  expect(await makeSandbox(parts, work, 0)).toBe(undefined);
  expect(events).toEqual([`${unseen}runtime is busy`]);
  expect([...work.sandboxIds]).toEqual(['s1']);
});

test('a sandbox that the runtime does not have is reported', async () => {
  const podSandboxStatus: RuntimeService['podSandboxStatus'] = async () => ({
    status: { id: 'another' },
    containersStatuses: [],
  });
  const { parts, work, events } = subject({ podSandboxStatus });
  expect(await makeSandbox(parts, work, 0)).toBe(undefined);
  expect(events).toEqual([`${unseen}pod sandbox "s1" not found`]);
});

test('a pod that cannot have its cgroup gets no sandbox, and an event says why', async () => {
  const { parts, work, events, parents } = subject({ refusal: 'the disk is full' });
  const refused =
    'Warning FailedCreatePodContainer: unable to ensure pod container exists: ' +
    'failed to create container for [kubepods besteffort poduid-1] : the disk is full';
  expect(await makeSandbox(parts, work, 1)).toBe(undefined);
  expect(await currentSandbox(parts, work)).toBe(undefined);
  expect([events, parents]).toEqual([[refused, refused], []]);
});
