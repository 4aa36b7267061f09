import type { Pod, PodStatus } from '@coracle/api';
import type { RuntimeService } from '@coracle/cri';
import type { Needs } from './kubelet-parts.js';
import type { PodFailure } from './pod-failure.js';
import type { ProbeManager } from './probes/probe-manager.js';
import type { ResizeState } from './resize/resize-state.js';
import { podUidLabel } from './runtime-labels.js';
import { isRunning, nothingRuns, type RuntimePod, readRuntimePod } from './runtime-pod.js';
import { computePodStatus } from './status/compute-pod-status.js';
import type { WaitingReason } from './status/container-status.js';
import { kubeletConditions } from './status/pod-conditions.js';
import type { PodVolumes } from './volumes/pod-volumes.js';

/** The kubelet's state of one pod, from its first event to the last. */
export interface PodWork {
  readonly uid: string;
  /** The pod in the API. */
  desired: Pod;
  /** The pod as it runs: that of the API with its allocated resources. */
  pod: Pod;
  /** The state of its resize. */
  resize: ResizeState | undefined;
  /** Its sandboxes in the runtime. */
  readonly sandboxIds: Set<string>;
  /** Its last known state in the runtime. */
  state: RuntimePod;
  /** Why containers could not be started at the last attempt. */
  readonly waiting: Map<string, WaitingReason>;
  /** Ids of running containers whose postStart hook has not completed: they are not reported yet. */
  readonly inPostStart: Set<string>;
  /** PreStop hooks that have been started, by container id. */
  readonly preStops: Map<string, Promise<void>>;
  /** Aborted when the kubelet stops: running hooks are no longer awaited. */
  readonly ended: AbortSignal;
  /**
   * Whether the runtime may have sandboxes that are not in `sandboxIds`, because a call that creates one has failed
   * halfway.
   */
  hasUnknownSandboxes: boolean;
  /** Number of runtime requests, and the one that returned `state`: a late response never replaces a newer one. */
  readonly observations: { started: number; applied: number };
  failure: PodFailure | undefined;
}

export function newPodWork(pod: Pod, sandboxIds: Iterable<string>, ended: AbortSignal): PodWork {
  return {
    uid: pod.metadata.uid ?? '',
    desired: pod,
    pod,
    resize: undefined,
    sandboxIds: new Set(sandboxIds),
    state: nothingRuns,
    waiting: new Map(),
    inPostStart: new Set(),
    preStops: new Map(),
    ended,
    hasUnknownSandboxes: false,
    observations: { started: 0, applied: 0 },
    failure: undefined,
  };
}

export interface ObserveParts extends Needs<'runtime'> {
  readonly probes: Pick<ProbeManager, 'follow'>;
  readonly volumes: Pick<PodVolumes, 'withTerminationMessages'>;
}

/** Reads the sandboxes and containers of the pod from the runtime. */
export async function observe({ runtime, probes, volumes }: ObserveParts, work: PodWork): Promise<void> {
  const number = ++work.observations.started;
  if (work.hasUnknownSandboxes) await findSandboxes(runtime, work);
  const ids = [...work.sandboxIds];
  const observed = await readRuntimePod(runtime, ids);
  const state = { ...observed, containers: await volumes.withTerminationMessages(work.pod, observed.containers) };
  if (number < work.observations.applied) return;
  work.observations.applied = number;
  work.state = state;
  for (const id of ids) if (!state.sandboxes.some((sandbox) => sandbox.id === id)) work.sandboxIds.delete(id);
  probes.follow(work.pod, state);
}

async function findSandboxes(runtime: RuntimeService, work: PodWork): Promise<void> {
  const labelSelector = { [podUidLabel]: work.uid };
  const { items = [] } = await runtime.listPodSandbox({ filter: { labelSelector } });
  for (const { id = '' } of items) work.sandboxIds.add(id);
  work.hasUnknownSandboxes = false;
}

/** The newest and the previous container are kept for the status; older ones are removed. */
const keptInstances = 2;

export async function removeOldContainers(
  { runtime, podLogs }: Needs<'runtime' | 'podLogs'>,
  { state }: PodWork,
): Promise<void> {
  const instances = new Map<string, number>();
  for (const container of state.containers) {
    const name = container.metadata?.name ?? '';
    const count = (instances.get(name) ?? 0) + 1;
    instances.set(name, count);
    if (count <= keptInstances || isRunning(container)) continue;
    await podLogs.forgetContainer(container);
    await runtime.removeContainer({ containerId: container.id ?? '' });
  }
}

export type StatusParts = Needs<'clock' | 'statuses' | 'probes' | 'runtimeName' | 'hostIps'>;

/** The current status of the pod for the API. */
export function statusOf(parts: StatusParts, work: PodWork, terminal: boolean): PodStatus {
  const { pod, state, waiting, inPostStart, failure, resize } = work;
  const { clock, statuses, probes, runtimeName, hostIps } = parts;
  return computePodStatus({
    pod: { ...pod, status: withForeignConditions(statuses.statusOf(pod), pod) },
    state,
    probes,
    waiting,
    // Hooks are no longer awaited when the pod ends.
    ...(!terminal && { hidden: inPostStart }),
    runtimeName,
    hostIps,
    now: clock.now(),
    terminal,
    ...(resize && { resize }),
    ...(failure && { failure }),
  });
}

/** The kubelet's conditions as it last set them; those of others as in the API. */
function withForeignConditions(status: PodStatus, { status: currentStatus }: Pod): PodStatus {
  const own = status.conditions?.filter(({ type }) => kubeletConditions.has(type)) ?? [];
  const foreign = currentStatus?.conditions?.filter(({ type }) => !kubeletConditions.has(type)) ?? [];
  return { ...status, conditions: [...own, ...foreign] };
}
