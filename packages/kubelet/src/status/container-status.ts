import {
  type ContainerState as ApiState,
  type Container,
  type ContainerStatus,
  mayRestartAll,
  type Pod,
} from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import { ContainerState, type ContainerStatus as RuntimeStatus } from '@coracle/cri';
import { isRestarted, isSidecar } from '../restart-policy.js';
import { hasNeverRun, millisOf, type RuntimePod } from '../runtime-pod.js';
import { resourcesOf } from './container-resources.js';

/** Reason and message of a waiting container. */
export interface WaitingReason {
  readonly reason: string;
  readonly message?: string;
}

/** Probe results, by the id of a running container. */
export interface ProbeResults {
  isStarted(containerId: string): boolean;
  isReady(containerId: string): boolean;
}

export interface ContainerStatusInput {
  readonly pod: Pod;
  readonly state: RuntimePod;
  readonly probes: ProbeResults;
  /** By container; from the last attempt to start it. */
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  /** Ids of containers that are omitted as if they had not been started. */
  readonly hidden?: ReadonlySet<string>;
  readonly runtimeName: string;
}

type Role = 'init' | 'regular' | 'ephemeral';

/** The statuses of these containers, in the order of the spec. */
export function containerStatuses(
  input: ContainerStatusInput,
  containers: readonly Container[],
  role: Role,
): ContainerStatus[] {
  return containers.map((container) => containerStatus(input, container, role));
}

function containerStatus(input: ContainerStatusInput, container: Container, role: Role): ContainerStatus {
  const [newest, previous] = input.state.containers.filter(
    ({ id = '', metadata }) => metadata?.name === container.name && !input.hidden?.has(id),
  );
  const before = statusBefore(input.pod, container, role);
  const awaitsReset = input.waiting.has(container.name) && restartsTogether(input.pod);
  // It has ended, and was then removed from the runtime.
  if (!newest && before?.state?.terminated) return awaitsReset ? asWaiting(before, input, container) : before;
  const base = newest ? fromRuntime(input, container, { newest, previous, before }) : notMade(input, container, before);
  const status = waitsForRestart(input, container, newest) ? asWaiting(base, input, container) : base;
  if (role === 'init' && !isSidecar(container))
    return { ...status, started: false, ready: status.state?.terminated?.exitCode === 0 };
  return role === 'ephemeral' ? status : withProbes(status, input);
}

function statusBefore({ status = {} }: Pod, { name }: Container, role: Role): ContainerStatus | undefined {
  const { initContainerStatuses, containerStatuses: regular, ephemeralContainerStatuses } = status;
  const statuses = { init: initContainerStatuses, regular, ephemeral: ephemeralContainerStatuses }[role];
  return statuses?.find((one) => one.name === name);
}

/** Not created yet: it waits for its init containers, its image, its sandbox. */
function notMade(
  input: ContainerStatusInput,
  container: Container,
  before: ContainerStatus | undefined,
): ContainerStatus {
  const ended = before?.lastState?.terminated;
  return {
    ...mountsOf(container),
    image: container.image ?? '',
    imageID: '',
    lastState: ended ? { terminated: ended } : {},
    name: container.name,
    ready: false,
    restartCount: ended ? (before?.restartCount ?? 0) : 0,
    started: false,
    state: { waiting: reasonToWait(input, container) },
  };
}

/** Why a container that has never run is not running yet. */
function reasonToWait({ pod, waiting }: ContainerStatusInput, { name }: Container): WaitingReason {
  const hasInit = (pod.spec?.initContainers?.length ?? 0) > 0;
  return { ...(waiting.get(name) ?? { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' }) };
}

interface Instances {
  readonly newest: RuntimeStatus;
  readonly previous: RuntimeStatus | undefined;
  /** The previous status in the API. */
  readonly before: ContainerStatus | undefined;
}

function fromRuntime(
  input: ContainerStatusInput,
  container: Container,
  { newest, previous, before }: Instances,
): ContainerStatus {
  // A container that the runtime lost before it was seen running waits to be created again.
  const lost = newest.state === ContainerState.CONTAINER_UNKNOWN && !before?.state?.running;
  return {
    ...resourcesOf(container, newest),
    ...mountsOf(container),
    ...userOf(newest),
    containerID: idOf(input, newest),
    image: newest.image?.image || (container.image ?? ''),
    imageID: newest.imageRef ?? '',
    lastState: previous ? lastStateOf(input, previous) : lastStateBefore(input.pod, newest, before),
    name: container.name,
    ready: false,
    restartCount: newest.metadata?.attempt ?? 0,
    started: false,
    state: lost || hasNeverRun(newest) ? { waiting: reasonToWait(input, container) } : stateOf(input, newest),
  };
}

function lastStateOf(input: ContainerStatusInput, previous: RuntimeStatus): ApiState {
  return previous.state === ContainerState.CONTAINER_EXITED ? stateOf(input, previous) : {};
}

/** After a restart of all containers only the status has their previous runs. */
function lastStateBefore(pod: Pod, { metadata }: RuntimeStatus, before: ContainerStatus | undefined): ApiState {
  if (!before || !restartsTogether(pod) || !metadata?.attempt) return {};
  const isOfRunBefore = before.restartCount < metadata.attempt && before.state?.terminated;
  return (isOfRunBefore ? before.state : before.lastState) ?? {};
}

/** The exit of one of its containers may restart all of them. */
function restartsTogether({ spec }: Pod): boolean {
  return spec !== undefined && mayRestartAll(spec);
}

function stateOf(input: ContainerStatusInput, status: RuntimeStatus): ApiState {
  if (status.state === ContainerState.CONTAINER_RUNNING)
    return { running: { startedAt: formatTime(millisOf(status.startedAt)) } };
  const unknown = status.state !== ContainerState.CONTAINER_EXITED;
  return {
    terminated: {
      containerID: idOf(input, status),
      exitCode: unknown ? 137 : (status.exitCode ?? 0),
      finishedAt: formatTime(millisOf(status.finishedAt)),
      ...(status.message && { message: status.message }),
      reason: unknown
        ? 'ContainerStatusUnknown'
        : status.reason || ((status.exitCode ?? 0) === 0 ? 'Completed' : 'Error'),
      startedAt: formatTime(millisOf(status.startedAt)),
    },
  };
}

function idOf({ runtimeName }: ContainerStatusInput, { id = '' }: RuntimeStatus): string {
  return `${runtimeName}://${id}`;
}

/** Terminated, and waiting to be restarted, with the reason. */
function waitsForRestart(input: ContainerStatusInput, container: Container, newest: RuntimeStatus | undefined) {
  if (newest?.state !== ContainerState.CONTAINER_EXITED || hasNeverRun(newest) || !input.waiting.has(container.name))
    return false;
  return isRestarted(input.pod, container, newest.exitCode ?? 0);
}

function asWaiting(status: ContainerStatus, { waiting }: ContainerStatusInput, { name }: Container): ContainerStatus {
  const lastState = status.state?.terminated ? status.state : (status.lastState ?? {});
  return { ...status, lastState, state: { waiting: { reason: '', ...waiting.get(name) } } };
}

function withProbes(status: ContainerStatus, { probes }: ContainerStatusInput): ContainerStatus {
  if (!status.state?.running) return status;
  const id = status.containerID?.replace(/^.*:\/\//, '') ?? '';
  const started = probes.isStarted(id);
  return { ...status, started, ready: started && probes.isReady(id) };
}

function mountsOf({ volumeMounts }: Container): Pick<ContainerStatus, 'volumeMounts'> {
  if (!volumeMounts?.length) return {};
  return {
    volumeMounts: volumeMounts.map(({ mountPath, name, readOnly }) => ({
      mountPath,
      name,
      ...(readOnly && { readOnly, recursiveReadOnly: 'Disabled' }),
    })),
  };
}

function userOf({ user }: RuntimeStatus): Pick<ContainerStatus, 'user'> {
  if (!user?.linux) return {};
  const { uid = 0, gid = 0, supplementalGroups } = user.linux;
  return { user: { linux: { uid, gid, ...(supplementalGroups && { supplementalGroups }) } } };
}
