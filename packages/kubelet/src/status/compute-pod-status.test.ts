import type { Pod, PodSpec } from '@coracle/api';
import { ContainerState, type ContainerStatus, PodSandboxState } from '@coracle/cri';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rejectionOf } from '../pod-failure.js';
import { computePodStatus, type PodStatusInput } from './compute-pod-status.js';

const now = Date.UTC(2026, 0, 1);
const nanos = now * 1e6;

type Progress = 'none' | 'created' | 'running' | 'unknown' | number;

/** Containers as `name: progress`; a list of them for one that was restarted, newest first. */
function inputOf(
  spec: Partial<PodSpec>,
  containers: Record<string, Progress | readonly Progress[]>,
  more: Partial<PodStatusInput> = {},
): PodStatusInput {
  const pod: Pod = {
    metadata: { name: 'p', namespace: 'default', uid: 'u', generation: 3 },
    spec: { containers: [{ name: 'a', image: 'nginx' }], restartPolicy: 'Always', ...spec },
  };
  return {
    pod,
    state: {
      sandboxes: [{ id: 's', state: PodSandboxState.SANDBOX_READY, network: { ip: '10.0.0.2' } }],
      containers: Object.entries(containers).flatMap(([name, progress]) => instancesOf(name, [progress].flat())),
      observedAt: 0,
    },
    probes: { isStarted: () => true, isReady: () => true },
    waiting: new Map(),
    runtimeName: 'containerd',
    hostIps: ['192.168.0.1'],
    now,
    terminal: false,
    ...more,
  };
}

function instancesOf(name: string, all: readonly Progress[]): ContainerStatus[] {
  const states: Record<string, ContainerState> = {
    created: ContainerState.CONTAINER_CREATED,
    running: ContainerState.CONTAINER_RUNNING,
    unknown: ContainerState.CONTAINER_UNKNOWN,
  };
  return all.flatMap((progress, index): ContainerStatus[] => {
    if (progress === 'none') return [];
    const base = { id: `${name}${index}`, metadata: { name, attempt: all.length - 1 - index }, startedAt: nanos };
    if (typeof progress !== 'number') return [{ ...base, state: states[progress] ?? ContainerState.CONTAINER_UNKNOWN }];
    return [{ ...base, state: ContainerState.CONTAINER_EXITED, exitCode: progress, finishedAt: nanos }];
  });
}

const two = [
  { name: 'a', image: 'nginx' },
  { name: 'b', image: 'nginx' },
];
const init = [{ name: 'i', image: 'busybox' }];
const image = { name: 'a', image: 'busybox' };
const restartOn42 = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }];

describe('the phase of a pod', () => {
  const cases: readonly {
    name: string;
    spec?: Partial<PodSpec>;
    containers: Record<string, Progress | readonly Progress[]>;
    terminal?: boolean;
    phase: string;
  }[] = [
    { name: 'K26.8 is Pending before anything was made', containers: {}, phase: 'Pending' },
    {
      name: 'K26.8 is Pending while one container was never started',
      spec: { containers: two },
      containers: { a: 'running' },
      phase: 'Pending',
    },
    {
      name: 'K26.8 is Running when all run',
      spec: { containers: two },
      containers: { a: 'running', b: 'running' },
      phase: 'Running',
    },
    {
      name: 'K26.8 is Running when one runs and one has ended',
      spec: { containers: two, restartPolicy: 'Never' },
      containers: { a: 'running', b: 1 },
      phase: 'Running',
    },
    { name: 'K26.8 is Running when all ended but are restarted', containers: { a: 1 }, phase: 'Running' },
    {
      name: 'K26.8 is Succeeded when all ended with 0',
      spec: { restartPolicy: 'OnFailure' },
      containers: { a: 0 },
      phase: 'Succeeded',
    },
    {
      name: 'K26.8 is Failed when one failed and none is restarted',
      spec: { containers: two, restartPolicy: 'Never' },
      containers: { a: 0, b: 2 },
      phase: 'Failed',
    },
    {
      name: 'K26.8 is Running when one failed and is restarted',
      spec: { restartPolicy: 'OnFailure' },
      containers: { a: 2 },
      phase: 'Running',
    },
    {
      name: 'K26.8 is Pending while an init container runs',
      spec: { initContainers: init },
      containers: { i: 'running' },
      phase: 'Pending',
    },
    {
      name: 'K26.8 is Pending while a failed init container is tried again',
      spec: { initContainers: init },
      containers: { i: 1 },
      phase: 'Pending',
    },
    {
      name: 'K26.8 is Failed when an init container failed for good',
      spec: { initContainers: init, restartPolicy: 'Never' },
      containers: { i: 1 },
      phase: 'Failed',
    },
    {
      name: 'is Pending until the sidecar has started',
      spec: { initContainers: [{ ...init[0], name: 'i', restartPolicy: 'Always' }] },
      containers: {},
      phase: 'Pending',
    },
    {
      name: 'is Succeeded though the sidecar was killed',
      spec: { restartPolicy: 'Never', initContainers: [{ name: 'i', restartPolicy: 'Always' }] },
      containers: { i: 143, a: 0 },
      phase: 'Succeeded',
    },
    {
      name: 'is Failed when a pod that is stopped ended with an error',
      containers: { a: 143 },
      terminal: true,
      phase: 'Failed',
    },
    {
      name: 'is Succeeded when a pod that is stopped ended well',
      containers: { a: 0 },
      terminal: true,
      phase: 'Succeeded',
    },
    {
      name: 'is Running while a container waits that its rules start again',
      spec: {
        restartPolicy: 'Never',
        containers: [
          { ...image, restartPolicyRules: restartOn42 },
          { ...image, name: 'b' },
        ],
      },
      containers: { a: 42, b: 0 },
      phase: 'Running',
    },
    {
      name: 'is Failed when no rule starts the container again',
      spec: { restartPolicy: 'Never', containers: [{ ...image, restartPolicyRules: restartOn42 }] },
      containers: { a: 1 },
      phase: 'Failed',
    },
    {
      name: 'is Pending while an init container waits that its rules start again',
      spec: { restartPolicy: 'Never', initContainers: [{ ...image, name: 'i', restartPolicyRules: restartOn42 }] },
      containers: { i: 42 },
      phase: 'Pending',
    },
    {
      name: 'is Failed when an init container fails that is never started again, whatever the policy of the pod',
      spec: { restartPolicy: 'Always', initContainers: [{ ...image, name: 'i', restartPolicy: 'Never' }] },
      containers: { i: 1 },
      phase: 'Failed',
    },
    {
      name: 'is Running while a pod that is stopped still runs',
      containers: { a: 'running' },
      terminal: true,
      phase: 'Running',
    },
  ];

  test.each(cases)('$name', ({ spec = {}, containers, terminal = false, phase }) => {
    expect(computePodStatus(inputOf(spec, containers, { terminal })).phase).toBe(phase);
  });

  test('K26.8 never leaves a terminal phase', () => {
    const ended = fc.constantFrom('Succeeded', 'Failed');
    const progress = fc.oneof(fc.constantFrom<Progress>('none', 'created', 'running', 'unknown'), fc.nat(255));
    fc.assert(
      fc.property(ended, progress, fc.boolean(), (phase, a, terminal) => {
        const input = inputOf({}, { a }, { terminal });
        const status = computePodStatus({ ...input, pod: { ...input.pod, status: { phase } } });
        expect(status.phase).toBe(phase);
      }),
    );
  });
});

describe('the status of a container', () => {
  test('whose start was interrupted by a kill of the kubelet waits to be started', () => {
    const input = inputOf({ restartPolicy: 'Never' }, {});
    const cutOff: ContainerStatus = {
      id: 'a0',
      metadata: { name: 'a', attempt: 0 },
      state: ContainerState.CONTAINER_EXITED,
      reason: 'StartError',
      message: 'failed to start containerd task: context canceled: unknown',
      exitCode: 128,
    };
    const status = computePodStatus({ ...input, state: { ...input.state, containers: [cutOff] } });
    expect(status.phase).toBe('Pending');
    expect(status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
  });

  test('that is created and not started yet waits for the same reason as before', () => {
    const status = computePodStatus(inputOf({ initContainers: init }, { i: 'created' }));
    expect(status.initContainerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
    const alone = computePodStatus(inputOf({}, { a: 'created' }));
    expect(alone.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
  });

  test('that ended is kept when the runtime has removed it', () => {
    const first = inputOf({ initContainers: init, restartPolicy: 'Never' }, { i: 0, a: 3 });
    const status = computePodStatus(first);
    expect(status.phase).toBe('Failed');
    const later = inputOf({ initContainers: init, restartPolicy: 'Never' }, {});
    const again = computePodStatus({ ...later, pod: { ...later.pod, status } });
    expect(again.containerStatuses).toEqual(status.containerStatuses);
    expect(again.initContainerStatuses).toEqual(status.initContainerStatuses);
  });

  test('K23.2 reports the previous run', () => {
    const [status] = computePodStatus(inputOf({}, { a: ['running', 3] })).containerStatuses ?? [];
    expect(status).toMatchObject({
      containerID: 'containerd://a0',
      restartCount: 1,
      ready: true,
      started: true,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      lastState: { terminated: { exitCode: 3, reason: 'Error', containerID: 'containerd://a1' } },
    });
  });

  test('reports why it waits, and keeps its last state', () => {
    const waiting = new Map([['a', { reason: 'CrashLoopBackOff', message: 'back-off 10s' }]]);
    const [status] = computePodStatus(inputOf({}, { a: 1 }, { waiting })).containerStatuses ?? [];
    expect(status?.state).toEqual({ waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } });
    expect(status?.lastState?.terminated?.exitCode).toBe(1);
  });

  test('without a restart keeps its terminated state, after any failure', () => {
    const waiting = new Map([['a', { reason: 'ErrImagePull' }]]);
    const status = computePodStatus(inputOf({ restartPolicy: 'Never' }, { a: 1 }, { waiting }));
    expect(status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(1);
  });

  test('in unknown state counts as killed, if it was running', () => {
    const input = inputOf({ restartPolicy: 'Never' }, { a: 'unknown' });
    const [running] = computePodStatus(inputOf({}, { a: 'running' })).containerStatuses ?? [];
    const pod = { ...input.pod, status: { containerStatuses: running ? [running] : [] } };
    const status = computePodStatus({ ...input, pod });
    expect(status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } }],
    });
  });

  test('in unknown state that was never observed running waits to be created again', () => {
    expect(computePodStatus(inputOf({ restartPolicy: 'Never' }, { a: 'unknown' }))).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
    });
  });

  test('that does not respond to its readiness probe is running and not ready', () => {
    const probes = { isStarted: () => true, isReady: () => false };
    const { containerStatuses, conditions } = computePodStatus(inputOf({}, { a: 'running' }, { probes }));
    expect(containerStatuses?.[0]).toMatchObject({ started: true, ready: false });
    expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [a]',
      observedGeneration: 3,
    });
  });
});

test('a pod that the node refuses has nothing but the reason, and the conditions of others', () => {
  const input = inputOf(
    {},
    {},
    { terminal: true, failure: rejectionOf({ reason: 'OutOfcpu', message: 'too little' }) },
  );
  const conditions = ['PodScheduled', 'example.com/gate'].map((type) => ({ type, status: 'True' }));
  const status = computePodStatus({ ...input, pod: { ...input.pod, status: { conditions } } });
  const { failure: _, ...restarted } = input;
  expect(computePodStatus({ ...restarted, pod: { ...input.pod, status } })).toEqual(status);
  expect(status).toEqual({
    observedGeneration: 3,
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: 'Pod was rejected: too little',
    startTime: expect.any(String),
    qosClass: 'BestEffort',
    conditions: [{ type: 'example.com/gate', status: 'True' }],
  });
});

describe('the conditions of a pod', () => {
  test('keep the time of their last change', () => {
    const input = inputOf({}, { a: 'running' });
    const first = computePodStatus(input);
    const later = computePodStatus({ ...input, now: now + 60_000, pod: { ...input.pod, status: first } });
    expect(later).toEqual(first);
  });
});
