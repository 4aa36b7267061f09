import type { Container, Pod, PodSpec } from '@coracle/api';
import { ContainerState, type ContainerStatus, PodSandboxState, type PodSandboxStatus } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { computePodActions, type PodActions, type ProbeVerdicts } from './compute-pod-actions.js';
import { containerAnnotations } from './runtime-labels.js';
import type { RuntimePod } from './runtime-pod.js';

const well: ProbeVerdicts = { isStarted: () => true, failedProbe: () => undefined };
const web: Container = { name: 'web', image: 'nginx' };
const init: Container = { name: 'init', image: 'busybox' };
const sidecar: Container = { name: 'side', image: 'proxy', restartPolicy: 'Always' };

function podWith(spec: Partial<PodSpec> = {}): Pod {
  return { metadata: { name: 'p', uid: 'u' }, spec: { restartPolicy: 'Always', containers: [web], ...spec } };
}

const ready: PodSandboxStatus = {
  id: 's',
  state: PodSandboxState.SANDBOX_READY,
  createdAt: 1,
  metadata: { attempt: 0 },
  network: { ip: '10.0.0.2' },
};

function made(name: string, state: 'running' | 'created' | 'unknown' | number, createdAt = 2): ContainerStatus {
  const states = {
    running: ContainerState.CONTAINER_RUNNING,
    created: ContainerState.CONTAINER_CREATED,
    unknown: ContainerState.CONTAINER_UNKNOWN,
  };
  const base = { id: `${name}-id`, metadata: { name, attempt: 0 }, createdAt };
  if (typeof state === 'number') return { ...base, state: ContainerState.CONTAINER_EXITED, exitCode: state };
  return { ...base, state: states[state] };
}

/** `kill pod, sandbox 1, kill web-id, start web` */
function inWords({ killPod, reset, sandboxAttempt, kill, start }: PodActions): string {
  return [
    killPod && 'kill pod',
    ...reset.map(({ id, isRunning }) => `${isRunning ? 'kill and remove' : 'remove'} ${id}`),
    sandboxAttempt !== undefined && `sandbox ${sandboxAttempt}`,
    ...kill.map(({ id }) => `kill ${id}`),
    ...start.map(({ container }) => `start ${container.name}`),
  ]
    .filter(Boolean)
    .join(', ');
}

interface Case {
  readonly name: string;
  readonly spec?: Partial<PodSpec>;
  readonly sandboxes?: readonly PodSandboxStatus[];
  readonly containers?: readonly ContainerStatus[];
  readonly probes?: Partial<ProbeVerdicts>;
  readonly actions: string;
}

const two = [web, { name: 'log', image: 'busybox' }];
const restartsAll: Container = {
  ...web,
  restartPolicy: 'Never',
  restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
};
const notReady: PodSandboxStatus = { ...ready, state: PodSandboxState.SANDBOX_NOTREADY };
const cases: readonly Case[] = [
  {
    name: 'K20.10 a new pod gets a sandbox and all its containers',
    spec: { containers: two },
    sandboxes: [],
    actions: 'sandbox 0, start web, start log',
  },
  {
    name: 'K20.12 a new pod with init containers starts the first of them alone',
    spec: { initContainers: [init, { ...init, name: 'next' }] },
    sandboxes: [],
    actions: 'sandbox 0, start init',
  },
  { name: 'K17.16 a pod that runs needs nothing', containers: [made('web', 'running')], actions: '' },
  {
    name: 'K20.10 a sandbox that died is replaced, and counted',
    sandboxes: [notReady],
    containers: [made('web', 137)],
    actions: 'sandbox 1, start web',
  },
  {
    name: 'K20.10 a sandbox without an address is replaced',
    sandboxes: [{ ...ready, network: {} }],
    actions: 'kill pod, sandbox 1, start web',
  },
  {
    name: 'K20.10 a pod on the host network needs no address',
    spec: { hostNetwork: true },
    sandboxes: [{ ...ready, network: {} }],
    containers: [made('web', 'running')],
    actions: '',
  },
  {
    name: 'K20.10 of two ready sandboxes none is right',
    sandboxes: [{ ...ready, id: 's2', createdAt: 3, metadata: { attempt: 1 } }, ready],
    actions: 'kill pod, sandbox 2, start web',
  },
  {
    name: 'K20.11 what must not be restarted gets no second sandbox',
    spec: { restartPolicy: 'Never' },
    sandboxes: [notReady],
    containers: [made('web', 137)],
    actions: '',
  },
  {
    name: 'K20.11 what has never run gets a second sandbox, whatever its policy',
    spec: { restartPolicy: 'Never' },
    sandboxes: [notReady],
    containers: [made('web', 'created')],
    actions: 'sandbox 1, start web',
  },
  {
    name: 'K20.12 what succeeded is not run again in a new sandbox',
    spec: { restartPolicy: 'OnFailure', containers: two },
    sandboxes: [notReady],
    containers: [made('web', 0), made('log', 1)],
    actions: 'sandbox 1, start log',
  },
  {
    name: 'K20.13 a running init container is waited for',
    spec: { initContainers: [init] },
    containers: [made('init', 'running')],
    actions: '',
  },
  {
    name: 'K20.13 after the init container come the others',
    spec: { initContainers: [init] },
    containers: [made('init', 0)],
    actions: 'start web',
  },
  {
    name: 'K20.13 a failed init container is tried again',
    spec: { initContainers: [init] },
    containers: [made('init', 1)],
    actions: 'start init',
  },
  {
    name: 'K20.13 a failed init container that is not restarted ends the pod',
    spec: { initContainers: [init], restartPolicy: 'Never' },
    containers: [made('init', 1)],
    actions: 'kill pod',
  },
  {
    name: 'K20.13 init containers are not run again once the pod is initialized',
    spec: { initContainers: [init] },
    containers: [made('web', 1)],
    actions: 'start web',
  },
  {
    name: 'K20.13 init containers of an earlier sandbox do not count',
    spec: { initContainers: [init] },
    sandboxes: [{ ...ready, createdAt: 5 }],
    containers: [made('init', 0)],
    actions: 'start init',
  },
  {
    name: 'K20.13 an init container in unknown state is killed first',
    spec: { initContainers: [init] },
    containers: [made('init', 'unknown')],
    actions: 'kill init-id, start init',
  },
  {
    name: 'K20.14 a container in unknown state is killed and made again, whatever its policy',
    spec: { restartPolicy: 'Never' },
    containers: [made('web', 'unknown')],
    actions: 'kill web-id, start web',
  },
  {
    name: 'a sidecar must have started before the next one',
    spec: { initContainers: [sidecar, init] },
    containers: [made('side', 'running')],
    probes: { isStarted: () => false },
    actions: '',
  },
  {
    name: 'a sidecar that started lets the next init container run',
    spec: { initContainers: [sidecar, init] },
    containers: [made('side', 'running')],
    actions: 'start init',
  },
  {
    name: 'a sidecar that ended is restarted while the others go on',
    spec: { initContainers: [sidecar] },
    containers: [made('side', 0), made('web', 'running')],
    actions: 'start side',
  },
  {
    name: 'a sidecar does not keep a pod whose containers are done',
    spec: { initContainers: [sidecar], restartPolicy: 'Never' },
    containers: [made('side', 'running'), made('web', 0)],
    actions: 'kill pod',
  },
  {
    name: 'K20.14 a container that ended is restarted under Always',
    containers: [made('web', 0)],
    actions: 'start web',
  },
  {
    name: 'K20.14 one that succeeded is not under OnFailure',
    spec: { restartPolicy: 'OnFailure', containers: two },
    containers: [made('web', 0), made('log', 'running')],
    actions: '',
  },
  {
    name: 'K20.14 one that failed is not under Never',
    spec: { restartPolicy: 'Never', containers: two },
    containers: [made('web', 1), made('log', 'running')],
    actions: '',
  },
  {
    name: "a container's own policy goes before the pod's",
    spec: { restartPolicy: 'Never', containers: [{ ...web, restartPolicy: 'Always' }] },
    containers: [made('web', 1)],
    actions: 'start web',
  },
  {
    name: "a rule on the exit code goes before the container's policy",
    spec: {
      containers: [
        {
          ...web,
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
        },
      ],
    },
    containers: [made('web', 42)],
    actions: 'start web',
  },
  {
    name: 'a rule on other exit codes says nothing',
    spec: {
      containers: [
        {
          ...web,
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
        },
      ],
    },
    containers: [made('web', 1)],
    actions: 'kill pod',
  },
  {
    name: 'an exit whose rule restarts all removes every container, the one that ended last',
    spec: { restartPolicy: 'Never', initContainers: [init], containers: [restartsAll, two[1] ?? web] },
    containers: [made('log', 'running', 4), made('web', 42, 3), made('init', 0)],
    actions: 'kill and remove log-id, remove init-id, remove web-id',
  },
  {
    name: 'a sidecar may restart all too, and ephemeral containers stay',
    spec: {
      initContainers: [{ ...restartsAll, name: 'side', restartPolicy: 'Always' }],
      ephemeralContainers: [{ name: 'debug' }],
    },
    containers: [made('debug', 'running', 5), made('web', 'running', 4), made('side', 42, 3)],
    actions: 'kill and remove web-id, remove side-id',
  },
  {
    name: 'another exit code does not restart all',
    spec: { restartPolicy: 'Never', containers: [restartsAll, two[1] ?? web] },
    containers: [made('log', 'running'), made('web', 1)],
    actions: '',
  },
  {
    name: 'all containers of a pod whose containers were removed start again in their sandbox',
    spec: { restartPolicy: 'Never', initContainers: [init], containers: [restartsAll] },
    actions: 'start init',
  },
  {
    name: 'K20.14 a failed liveness probe kills and restarts',
    containers: [made('web', 'running')],
    probes: { failedProbe: () => 'liveness' },
    actions: 'kill web-id, start web',
  },
  {
    name: 'K20.14 a failed startup probe kills without restart under Never',
    spec: { restartPolicy: 'Never', containers: two },
    containers: [made('web', 'running'), made('log', 'running')],
    probes: { failedProbe: (id) => (id === 'web-id' ? 'startup' : undefined) },
    actions: 'kill web-id',
  },
  {
    name: 'K20.15 when all is done the pod is stopped',
    spec: { restartPolicy: 'OnFailure' },
    containers: [made('web', 0)],
    actions: 'kill pod',
  },
  {
    name: 'K20.7 an ephemeral container is started beside a failing init container',
    spec: { initContainers: [init], ephemeralContainers: [{ name: 'debug', image: 'busybox' }] },
    containers: [made('init', 1)],
    actions: 'start debug, start init',
  },
  {
    name: 'K20.7 an ephemeral container that ended is never restarted',
    spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] },
    containers: [made('web', 'running'), made('debug', 1)],
    actions: '',
  },
];

describe('computePodActions', () => {
  test.each(cases)('$name', ({ spec, sandboxes = [ready], containers = [], probes, actions }) => {
    const state: RuntimePod = { sandboxes, containers, observedAt: 0 };
    expect(inWords(computePodActions(podWith(spec), state, { probes: { ...well, ...probes } }))).toBe(actions);
  });

  test('K20.14 a new image replaces the container, whatever the policy', () => {
    const pod = podWith({ restartPolicy: 'Never' });
    const running = { ...made('web', 'running'), annotations: containerAnnotations(pod, { ...web, image: 'old' }, 0) };
    const actions = computePodActions(
      pod,
      { sandboxes: [ready], containers: [running], observedAt: 0 },
      { probes: well },
    );
    expect(inWords(actions)).toBe('kill web-id, start web');
    expect(actions.kill[0]?.message).toBe('Container web definition changed, will be restarted');
  });
});
