import type { Container } from '@coracle/api';
import { monotonicNow } from '@coracle/base';
import type { RuntimeService } from '@coracle/cri';
import { containerReference } from './container-reference.js';
import type { Needs } from './kubelet-parts.js';
import { type HookParts, runHook } from './lifecycle-hook.js';
import type { PodWork } from './pod-work.js';
import { podAddresses } from './runtime-pod.js';
import { unlessAborted } from './unless-aborted.js';
import { waitAtMost } from './wait-at-most.js';

export interface KillRequest {
  readonly container: Container;
  readonly id: string;
  /** Message of the event. */
  readonly message?: string;
  readonly graceSeconds: number;
  /** Work that must end before the container is stopped, within its grace period. Its hook does not wait. */
  readonly turn?: Promise<unknown>;
  /** Ends the wait, but not the termination of the container. */
  readonly signal: AbortSignal;
}

export interface KillParts extends HookParts, Needs<'recorder' | 'logger' | 'hostIps'> {
  readonly runtime: Pick<RuntimeService, 'execSync' | 'stopContainer'>;
}

/** Minimum time in seconds for the container to stop, however long its preStop hook took. */
const minimumGraceSeconds = 2;

/** Runs the preStop hook, stops the container, and kills it when its grace period is over. */
export async function killContainer(parts: KillParts, work: PodWork, request: KillRequest): Promise<void> {
  const { container, id, graceSeconds, turn, signal, message = `Stopping container ${container.name}` } = request;
  const { clock } = parts;
  parts.recorder.event(containerReference(work.pod, container), 'Normal', 'Killing', message);
  let left = graceSeconds;
  if (graceSeconds > 0 && (turn || container.lifecycle?.preStop)) {
    const startedAt = monotonicNow(clock);
    const leftMs = () => graceSeconds * 1_000 - (monotonicNow(clock) - startedAt);
    if (container.lifecycle?.preStop)
      await waitAtMost(clock, leftMs(), unlessAborted(signal, preStop(parts, work, request)));
    if (turn && !signal.aborted) await waitAtMost(clock, leftMs(), unlessAborted(signal, turn));
    if (signal.aborted) return;
    left = Math.max(minimumGraceSeconds, Math.ceil(leftMs() / 1_000));
  }
  await unlessAborted(signal, parts.runtime.stopContainer({ containerId: id, timeout: left }));
}

/** A container that is killed again with a shorter grace period does not run its hook twice. */
function preStop(parts: KillParts, work: PodWork, request: KillRequest): Promise<void> {
  const running = work.preStops.get(request.id) ?? runPreStop(parts, work, request);
  work.preStops.set(request.id, running);
  return running;
}

async function runPreStop(parts: KillParts, { pod, state, ended }: PodWork, request: KillRequest): Promise<void> {
  const { container, id: containerId } = request;
  const [podIp = ''] = podAddresses(pod, state, parts.hostIps);
  const hook = container.lifecycle?.preStop ?? {};
  const run = { pod, container, containerId, hook, podIp, signal: ended };
  const problem = await runHook(parts, run).catch((error) => String(error));
  if (problem === undefined || ended.aborted) return;
  // The output of a hook may be secret, and many users can read events.
  parts.recorder.event(containerReference(pod, container), 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
  parts.logger.error('A preStop hook failed', { container: container.name, problem });
}
