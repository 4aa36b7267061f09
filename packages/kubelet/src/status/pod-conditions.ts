import { type ContainerStatus, mayRestartAll, type Pod, type PodCondition, type PodStatus } from '@coracle/api';
import { findCondition, formatTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { containersToReset } from '../restart-all/containers-to-reset.js';
import { isSidecar } from '../restart-policy.js';
import { addressesOf, isReady, type RuntimePod } from '../runtime-pod.js';

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

/** The conditions that a kubelet writes; conditions of other types are preserved. */
export const kubeletConditions: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'PodResizePending',
  'PodResizeInProgress',
  'AllContainersRestarting',
]);

/** The pod's conditions, with those of the kubelet updated. */
export function podConditions(
  pod: Pod,
  status: PodStatus,
  { state, now }: { readonly state: RuntimePod; readonly now: Millis },
): PodCondition[] {
  const previous = pod.status?.conditions ?? [];
  const containersReady = containersReadyOf(pod, status);
  const own: readonly (readonly [string, Verdict])[] = [
    ['PodReadyToStartContainers', verdict(isReadyToStart(pod, state))],
    ['Initialized', initializedOf(pod, status)],
    ['Ready', readyOf(pod, status, containersReady)],
    ['ContainersReady', containersReady],
    ['PodScheduled', verdict(true)],
    ...restartingOf(pod, status, state),
  ];
  const generation = pod.metadata.generation;
  const at = formatTime(now);
  const ours = own.map(([type, verdict]): PodCondition => {
    const before = findCondition(previous, type);
    const unchanged = before?.status === verdict.status && before.lastTransitionTime;
    return {
      type,
      ...verdict,
      lastTransitionTime: unchanged || at,
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  });
  return [...ours, ...previous.filter(({ type }) => !kubeletConditions.has(type))];
}

/** Only if the exit of a container can restart all of them. */
function restartingOf(pod: Pod, { phase }: PodStatus, state: RuntimePod): readonly (readonly [string, Verdict])[] {
  if (!pod.spec || !mayRestartAll(pod.spec)) return [];
  const type = 'AllContainersRestarting';
  if (phase === 'Succeeded') return [[type, verdict(false, 'PodCompleted')]];
  if (phase === 'Failed') return [[type, verdict(false, 'PodFailed')]];
  const isUnderWay = containersToReset(pod, state).length > 0;
  if (!isUnderWay) return [[type, verdict(false)]];
  return [[type, verdict(true, 'RestartAllContainersStarted', 'container exited with restart policy rule')]];
}

function verdict(holds: boolean, reason?: string, message?: string): Verdict {
  return { status: holds ? 'True' : 'False', ...(reason && { reason }), ...(message && { message }) };
}

/** Whether its sandbox is ready and has an address. */
function isReadyToStart(pod: Pod, state: RuntimePod): boolean {
  const [newest] = state.sandboxes;
  return newest !== undefined && isReady(newest) && (pod.spec?.hostNetwork === true || addressesOf(state).length > 0);
}

function initializedOf(pod: Pod, { initContainerStatuses = [], containerStatuses = [], phase }: PodStatus): Verdict {
  const inits = pod.spec?.initContainers ?? [];
  if (phase === 'Succeeded') return verdict(true, 'PodCompleted');
  const begun = containerStatuses.some(
    ({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated,
  );
  if (inits.length === 0 || begun) return verdict(true);
  const byName = new Map(initContainerStatuses.map((one) => [one.name, one]));
  const incomplete = inits.filter((init) => {
    const status = byName.get(init.name);
    return isSidecar(init) ? !status?.started : !status?.ready;
  });
  if (incomplete.length === 0) return verdict(true);
  const names = incomplete.map(({ name }) => name).join(' ');
  return verdict(false, 'ContainersNotInitialized', `containers with incomplete status: [${names}]`);
}

function containersReadyOf(
  pod: Pod,
  { initContainerStatuses = [], containerStatuses = [], phase }: PodStatus,
): Verdict {
  if (phase === 'Succeeded') return verdict(false, 'PodCompleted');
  if (phase === 'Failed') return verdict(false, 'PodFailed');
  const statuses = new Map([...initContainerStatuses, ...containerStatuses].map((one) => [one.name, one]));
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const expected = [...initContainers.filter(isSidecar), ...containers];
  const unready = expected.filter(({ name }) => !isUp(statuses.get(name)));
  if (unready.length === 0) return verdict(true);
  const names = unready.map(({ name }) => name).join(' ');
  return verdict(false, 'ContainersNotReady', `containers with unready status: [${names}]`);
}

function isUp(status: ContainerStatus | undefined): boolean {
  return status?.ready ?? false;
}

/** Ready when its containers are ready and all its readiness gates are true. */
function readyOf(pod: Pod, _status: PodStatus, containersReady: Verdict): Verdict {
  if (containersReady.status !== 'True') return containersReady;
  const problems = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = findCondition(pod.status?.conditions, conditionType);
    if (!condition) return `corresponding condition of pod readiness gate "${conditionType}" does not exist.`;
    if (condition.status === 'True') return [];
    return `the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`;
  });
  return problems.length === 0 ? verdict(true) : verdict(false, 'ReadinessGatesNotReady', problems.join(', '));
}
