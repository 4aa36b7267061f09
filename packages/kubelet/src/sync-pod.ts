import type { Millis } from '@coracle/base';
import { type ContainerToStart, computePodActions, type PodActions } from './compute-pod-actions.js';
import { podReference } from './container-reference.js';
import { prepareDevices } from './devices/prepare-devices.js';
import { killContainer } from './kill-container.js';
import type { Needs } from './kubelet-parts.js';
import { currentSandbox, makeSandbox, type Sandbox, type SandboxParts } from './make-sandbox.js';
import type { PodFailure } from './pod-failure.js';
import { observe, type PodWork, removeOldContainers } from './pod-work.js';
import { wantedResources } from './resize/plan-resize.js';
import { finishResize, resizeContainers } from './resize/resize-containers.js';
import { type ResetParts, resetContainers } from './restart-all/reset-containers.js';
import { type StartOutcome, type StartParts, startContainer } from './start-container.js';
import { isStaticPod } from './static-pods/pod-origin.js';
import type { ContainerType } from './stats/pod-counts.js';
import { graceOf, type TerminateParts, terminatePod } from './terminate-pod.js';

export interface SyncOutcome {
  /** When to retry actions that were not possible. */
  readonly retryMs: Millis | undefined;
  /** The pod cannot run on this node, and fails. */
  readonly failure?: PodFailure;
}

const settled: SyncOutcome = { retryMs: undefined };
const sandboxRetryMs: Millis = 10_000;
const resizeRetryMs: Millis = 10_000;
const directoriesRetryMs: Millis = 10_000;
/** Retry interval while the network is not ready. */
const networkRetryMs: Millis = 1_000;

export type SyncParts = SandboxParts &
  StartParts &
  ResetParts &
  TerminateParts &
  Needs<'mirrors' | 'random' | 'health' | 'cgroups' | 'pinning'>;

/**
 * Brings the pod closer to its desired state, as far as possible without waiting for an event: follow-up actions of a
 * completed step are executed too. Stops between two steps once `signal` aborts.
 */
export async function syncPod(parts: SyncParts, work: PodWork, signal: AbortSignal): Promise<SyncOutcome> {
  if (isStaticPod(work.pod)) await parts.mirrors.reconcile(work.pod);
  for (;;) {
    await observe(parts, work);
    const actions = computePodActions(work.pod, work.state, {
      probes: parts.probes,
      desired: wantedResources(parts, work.pod),
    });
    if (work.state.containers.length > (work.pod.spec?.containers.length ?? 0)) await removeOldContainers(parts, work);
    if (work.resize?.inProgress && isResized(actions)) await finishResize(parts, work);
    if (signal.aborted || isIdle(actions)) return settled;
    const { progress, retryMs, failure } = await perform(parts, work, { actions, signal });
    if (progress) continue;
    await observe(parts, work);
    return { retryMs, ...(failure && { failure }) };
  }
}

function isIdle({ killPod, reset, sandboxAttempt, kill, resize, start }: PodActions): boolean {
  const isQuiet = [reset, kill, resize, start].every(({ length }) => length === 0);
  return !killPod && sandboxAttempt === undefined && isQuiet;
}

/** Updates running containers to the allocated resources of the pod. */
function isResized({ kill, resize }: PodActions): boolean {
  return resize.length === 0 && kill.every(({ because }) => because !== 'resized');
}

interface Performed {
  /** The state has changed, so further actions may be possible. */
  readonly progress: boolean;
  readonly retryMs: Millis | undefined;
  readonly failure?: PodFailure;
}

async function perform(
  parts: SyncParts,
  work: PodWork,
  { actions, signal }: { readonly actions: PodActions; readonly signal: AbortSignal },
): Promise<Performed> {
  if (isCutOff(parts, work)) return { progress: false, retryMs: networkRetryMs * (1 + 0.5 * parts.random.next()) };
  if (actions.reset.length > 0) {
    await resetContainers(parts, work, actions.reset);
    return { progress: true, retryMs: undefined };
  }
  if (actions.killPod) await terminatePod(parts, work, { graceSeconds: graceOf(work.pod), signal });
  for (const { container, id, message, because } of actions.kill) {
    const graceSeconds = graceAfter(work, container, because);
    await killContainer(parts, work, { container, id, message, graceSeconds, signal });
  }
  if (signal.aborted) return { progress: false, retryMs: undefined };
  const isResizeDone = await resizeContainers(parts, work, actions.resize);
  const changed = actions.killPod || actions.kill.length > 0 || (isResizeDone && actions.resize.length > 0);
  if (actions.sandboxAttempt !== undefined || actions.start.length > 0) {
    if (!(await parts.volumes.makeDirectories(work.pod))) return { progress: changed, retryMs: directoriesRetryMs };
    const refused = await prepareDevices(parts, work.pod);
    if (refused) return { progress: false, ...refused };
    const volumes = await parts.volumes.mount(work.pod);
    if (!volumes.mounted) return { progress: changed, retryMs: volumes.retryMs };
  }
  if (signal.aborted) return { progress: false, retryMs: undefined };
  const { sandboxAttempt: attempt } = actions;
  const sandbox = attempt === undefined ? await currentSandbox(parts, work) : await makeSandbox(parts, work, attempt);
  if (!sandbox) return { progress: false, retryMs: sandboxRetryMs };
  const started = await startAll(parts, work, { actions, sandbox, signal });
  const retryMs = started.retryMs ?? (isResizeDone ? undefined : resizeRetryMs);
  return { ...started, retryMs, progress: started.progress || changed };
}

/** The pod needs a network that is not ready: it is not synced, and an event reports that. */
function isCutOff({ health, recorder }: Needs<'health' | 'recorder'>, { pod }: PodWork): boolean {
  const problem = pod.spec?.hostNetwork ? undefined : health.networkProblem;
  if (problem !== undefined)
    recorder.event(podReference(pod), 'Warning', 'NetworkNotReady', `network is not ready: ${problem}`);
  return problem !== undefined;
}

/** A probe may set the grace period of the container that it kills. */
function graceAfter({ pod }: PodWork, container: PodActions['kill'][number]['container'], because: string): number {
  const probe = because === 'failed-startup-probe' ? container.startupProbe : container.livenessProbe;
  const own = because.endsWith('-probe') ? probe?.terminationGracePeriodSeconds : undefined;
  return own ?? graceOf(pod);
}

async function startAll(
  parts: SyncParts,
  work: PodWork,
  {
    actions,
    sandbox,
    signal,
  }: { readonly actions: PodActions; readonly sandbox: Sandbox; readonly signal: AbortSignal },
): Promise<Performed> {
  let progress = false;
  let retryMs: Millis | undefined;
  for (const toStart of actions.start) {
    if (signal.aborted) break;
    const { name } = toStart.container;
    const outcome = await startContainer(parts, work, {
      ...toStart,
      sandboxId: sandbox.id,
      sandboxConfig: sandbox.config,
      signal,
    });
    if (!signal.aborted) count(parts, toStart, outcome);
    if (outcome.started) {
      work.waiting.delete(name);
      progress = true;
      continue;
    }
    work.waiting.set(name, outcome.why);
    retryMs = Math.min(retryMs ?? outcome.retryMs, outcome.retryMs);
    // Containers after an init container wait for it; the others are independent.
    if (toStart.role === 'init') break;
  }
  return { progress, retryMs };
}

const typeOfRole: Readonly<Record<ContainerToStart['role'], ContainerType>> = {
  regular: 'container',
  init: 'init_container',
  ephemeral: 'ephemeral_container',
};

/** One that waits to be restarted is not started. */
function count({ counts }: Needs<'counts'>, { role }: ContainerToStart, outcome: StartOutcome): void {
  const type = typeOfRole[role];
  if (!outcome.started && outcome.why.reason === 'CrashLoopBackOff') return;
  counts.startsContainer(type);
  if (!outcome.started) counts.failsContainer(type, outcome.why.reason);
}
