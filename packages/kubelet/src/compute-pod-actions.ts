import type { Container, Pod } from '@coracle/api';
import { ContainerState, type ContainerStatus, type LinuxContainerResources } from '@coracle/cri';
import { type ContainerToResize, changedResources, needsRestart } from './resize/plan-resize.js';
import { type ContainerToReset, containersToReset } from './restart-all/containers-to-reset.js';
import { isRestarted, isSidecar, restartPolicyOf } from './restart-policy.js';
import { hashOf, hashOfRunning } from './runtime-labels.js';
import { hasNeverRun, isReady, isRunning, newestContainer, type RuntimePod } from './runtime-pod.js';

/** The results of the probes of a running container. */
export interface ProbeVerdicts {
  /** False until its startup probe has succeeded, if it has one. */
  isStarted(containerId: string): boolean;
  /** Why it must be killed: `startup` or `liveness`, if that probe has reached its failure threshold. */
  failedProbe(containerId: string): 'startup' | 'liveness' | undefined;
}

export interface ContainerToStart {
  readonly container: Container;
  readonly role: ContainerRole;
}

export type ContainerRole = 'init' | 'regular' | 'ephemeral';

export interface ContainerToKill {
  readonly container: Container;
  readonly id: string;
  readonly message: string;
  readonly because: 'failed-startup-probe' | 'failed-liveness-probe' | 'changed' | 'resized' | 'unknown';
}

/** The actions that bring a pod to its desired state. Empty if there are none. */
export interface PodActions {
  /** Whether everything of the pod is stopped first. */
  readonly killPod: boolean;
  /** Containers to remove first, so that all containers start again in the existing sandbox. */
  readonly reset: readonly ContainerToReset[];
  /** Set if a sandbox must be created; counts the previous ones. */
  readonly sandboxAttempt: number | undefined;
  readonly kill: readonly ContainerToKill[];
  /** Containers that go on running with other resources. */
  readonly resize: readonly ContainerToResize[];
  /** In order; init containers are started one at a time. */
  readonly start: readonly ContainerToStart[];
}

const nothing: PodActions = Object.freeze({
  killPod: false,
  reset: [],
  sandboxAttempt: undefined,
  kill: [],
  resize: [],
  start: [],
});

/** Inputs besides the pod and its state in the runtime. */
export interface ActionContext {
  readonly probes: ProbeVerdicts;
  /** Allocated resources of containers; without them nothing is resized. */
  readonly desired?: (container: Container) => LinuxContainerResources;
}

/** Pure: the same pod and the same state of the runtime give the same actions. */
export function computePodActions(pod: Pod, state: RuntimePod, { probes, desired }: ActionContext): PodActions {
  const reset = containersToReset(pod, state);
  if (reset.length > 0) return { ...nothing, reset };
  const attempt = neededSandbox(pod, state);
  return attempt === undefined
    ? withinSandbox(pod, state, { probes, ...(desired && { desired }) })
    : withNewSandbox(pod, state, attempt);
}

/** The attempt of the sandbox that must be created, or `undefined` if the existing one can be used. */
function neededSandbox(pod: Pod, { sandboxes }: RuntimePod): number | undefined {
  const [newest] = sandboxes;
  if (!newest) return 0;
  const onHost = pod.spec?.hostNetwork ?? false;
  const wrong = sandboxes.filter(isReady).length > 1 || !isReady(newest) || (!onHost && !newest.network?.ip);
  return wrong ? (newest.metadata?.attempt ?? 0) + 1 : undefined;
}

function withNewSandbox(pod: Pod, state: RuntimePod, attempt: number): PodActions {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const killPod = isUp(state);
  // Containers that are not to be restarted must not run again because of a new sandbox. Those that never ran may.
  const ranBefore = attempt > 0 && state.containers.some((container) => !hasNeverRun(container));
  if (ranBefore && containers.every((container) => restartPolicyOf(pod, container) === 'Never'))
    return { ...nothing, killPod };
  const start = containers.filter((container) => mayStart(pod, container, newestContainer(state, container.name)));
  if (start.length === 0) return { ...nothing, killPod };
  const [firstInit] = initContainers;
  const first: readonly ContainerToStart[] = firstInit
    ? [{ container: firstInit, role: 'init' }]
    : start.map((container) => ({ container, role: 'regular' }));
  return { ...nothing, killPod, sandboxAttempt: attempt, start: first };
}

/** Whether anything of the pod has to be stopped. */
function isUp({ sandboxes, containers }: RuntimePod): boolean {
  return sandboxes.some(isReady) || containers.some(isRunning);
}

interface Plan {
  readonly kill: ContainerToKill[];
  readonly resize: ContainerToResize[];
  readonly start: ContainerToStart[];
  /** Containers that keep running, or will run. */
  retainedCount: number;
  killPod: boolean;
}

function withinSandbox(pod: Pod, state: RuntimePod, context: ActionContext): PodActions {
  const plan: Plan = { kill: [], resize: [], start: [], retainedCount: 0, killPod: false };
  for (const ephemeral of pod.spec?.ephemeralContainers ?? [])
    if (!newestContainer(state, ephemeral.name)) plan.start.push({ container: ephemeral, role: 'ephemeral' });
  if (planInitContainers(pod, state, { ...context, plan })) {
    for (const container of pod.spec?.containers ?? [])
      planContainer({
        ...context,
        pod,
        container,
        role: 'regular',
        status: newestContainer(state, container.name),
        plan,
      });
    if (plan.retainedCount === 0 && plan.start.every(({ role }) => role !== 'regular')) plan.killPod = true;
  }
  if (plan.killPod) return { ...nothing, killPod: isUp(state) };
  return { ...nothing, kill: plan.kill, resize: plan.resize, start: plan.start };
}

/** True when all init containers are done and all sidecars have started: the others may go on. */
function planInitContainers(
  pod: Pod,
  state: RuntimePod,
  { plan, ...context }: ActionContext & Pick<PlanStep, 'plan'>,
): boolean {
  const { probes } = context;
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  // If any container of the pod was created, its init containers have completed; sidecars are kept running.
  const initialized = containers.some(({ name }) => inNewestSandbox(state, name));
  for (const container of initContainers) {
    const status = inNewestSandbox(state, container.name);
    if (isSidecar(container)) {
      planContainer({ ...context, pod, container, role: 'init', status, plan: { ...plan, retainedCount: 0 } });
      const started = isRunning(status) && probes.isStarted(status?.id ?? '');
      if (!initialized && !started) return false;
    } else if (!initialized && !planInitContainer({ pod, container, role: 'init', status, probes, plan })) return false;
  }
  return true;
}

/** Init containers of an earlier sandbox do not count: with a new one they all run again. */
function inNewestSandbox(state: RuntimePod, name: string): ContainerStatus | undefined {
  const status = newestContainer(state, name);
  const since = state.sandboxes[0]?.createdAt ?? 0;
  return status && (status.createdAt ?? 0) >= since ? status : undefined;
}

interface PlanStep extends ActionContext {
  readonly pod: Pod;
  readonly container: Container;
  readonly role: ContainerRole;
  readonly status: ContainerStatus | undefined;
  readonly plan: Plan;
}

/** Whether it has succeeded, so that the next one may run. */
function planInitContainer({ pod, container, status, plan }: PlanStep): boolean {
  if (!status || hasNeverRun(status)) plan.start.push({ container, role: 'init' });
  else if (status.state === ContainerState.CONTAINER_EXITED) {
    if ((status.exitCode ?? 0) === 0) return true;
    if (isRestarted(pod, container, status.exitCode ?? 0)) plan.start.push({ container, role: 'init' });
    else plan.killPod = true;
  } else if (status.state === ContainerState.CONTAINER_UNKNOWN) {
    const message = `Init container ${container.name} is in unknown state`;
    plan.kill.push({ container, id: status.id ?? '', because: 'unknown', message });
    plan.start.push({ container, role: 'init' });
  }
  return false;
}

function planContainer({ pod, container, role, status, probes, plan, desired }: PlanStep): void {
  if (!isRunning(status)) {
    if (!mayStart(pod, container, status)) return;
    if (status?.state === ContainerState.CONTAINER_UNKNOWN) {
      const message = `Container ${container.name} is in unknown state`;
      plan.kill.push({ container, id: status.id ?? '', because: 'unknown', message });
    }
    plan.start.push({ container, role });
    return;
  }
  const resize = status && desired && resizeOf(container, status, desired(container));
  const reason = status && (reasonToKill(container, status, probes) ?? restartToResize(container, resize));
  if (!reason) {
    if (resize) plan.resize.push(resize);
    plan.retainedCount++;
    return;
  }
  const restarted =
    reason.because === 'changed' || reason.because === 'resized' || restartPolicyOf(pod, container) !== 'Never';
  plan.kill.push({ ...reason, message: restarted ? `${reason.message}, will be restarted` : reason.message });
  if (restarted) plan.start.push({ container, role });
}

interface Resize extends ContainerToResize {
  readonly restarts: boolean;
}

function resizeOf(
  container: Container,
  status: ContainerStatus,
  resources: LinuxContainerResources,
): Resize | undefined {
  const changed = changedResources(status, resources);
  if (changed.length === 0) return undefined;
  const memoryBefore = status.resources?.linux?.memoryLimitInBytes ?? 0;
  return { container, id: status.id ?? '', resources, memoryBefore, restarts: needsRestart(container, changed) };
}

function restartToResize(container: Container, resize: Resize | undefined): ContainerToKill | undefined {
  if (!resize?.restarts) return undefined;
  return {
    container,
    id: resize.id,
    because: 'resized',
    message: `Container ${container.name} resize requires restart`,
  };
}

function reasonToKill(
  container: Container,
  status: ContainerStatus,
  probes: ProbeVerdicts,
): ContainerToKill | undefined {
  const { id = '', annotations } = status;
  const { name } = container;
  const hash = hashOfRunning(annotations);
  if (hash !== undefined && hash !== hashOf(container))
    return { container, id, because: 'changed', message: `Container ${name} definition changed` };
  const failed = probes.failedProbe(id);
  if (!failed) return undefined;
  return { container, id, because: `failed-${failed}-probe`, message: `Container ${name} failed ${failed} probe` };
}

/** A container that is not running is started if there is no earlier run, or its restart policy restarts it. */
function mayStart(pod: Pod, container: Container, status: ContainerStatus | undefined): boolean {
  if (!status || hasNeverRun(status)) return true;
  if (status.state === ContainerState.CONTAINER_UNKNOWN) return true;
  return isRestarted(pod, container, status.exitCode ?? 0);
}
