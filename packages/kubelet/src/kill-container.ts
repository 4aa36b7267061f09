import type { Container, Pod } from '@coracle/api';
import { type Millis, sleep } from '@coracle/base';
import { containerReference } from './container-reference.js';
import type { KubeletParts } from './kubelet-parts.js';
import { runHook } from './lifecycle-hook.js';

export interface KillRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly id: string;
  /** What the event says. */
  readonly message?: string;
  readonly graceSeconds: number;
  readonly podIp?: string;
}

/** However long a preStop hook took, the container gets so many seconds to end. */
const minimumGraceSeconds = 2;

/** Runs the preStop hook, asks the container to end, and kills it when its grace period is over. */
export async function killContainer(parts: KubeletParts, request: KillRequest): Promise<void> {
  const { pod, container, id, graceSeconds, message = `Stopping container ${container.name}` } = request;
  parts.recorder.event(containerReference(pod, container), 'Normal', 'Killing', message);
  let left = graceSeconds;
  if (graceSeconds > 0 && container.lifecycle?.preStop) {
    const tookMs = await runPreStop(parts, request);
    left = Math.max(minimumGraceSeconds, graceSeconds - Math.floor(tookMs / 1_000));
  }
  await parts.runtime.stopContainer({ containerId: id, timeout: left });
}

/** Gives up on the hook when the grace period is over. Gives the time that it took. */
async function runPreStop(parts: KubeletParts, request: KillRequest): Promise<Millis> {
  const { pod, container, id: containerId, graceSeconds, podIp = '' } = request;
  const hook = container.lifecycle?.preStop ?? {};
  const startedAt = parts.clock.now();
  const aborter = new AbortController();
  const late = sleep(parts.clock, graceSeconds * 1_000, aborter.signal).catch(() => undefined);
  const running = runHook(parts, { pod, container, containerId, hook, podIp }).catch((error) => String(error));
  const problem = await Promise.race([running, late]);
  aborter.abort();
  if (typeof problem === 'string') {
    const about = containerReference(pod, container);
    // What a hook printed may be secret, and events are read by many.
    parts.recorder.event(about, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
    parts.logger.error('A preStop hook failed', { container: container.name, problem });
  }
  return parts.clock.now() - startedAt;
}
