import type { Container, Pod } from '@coracle/api';
import { type KillParts, killContainer } from './kill-container.js';
import type { Needs } from './kubelet-parts.js';
import { type ObserveParts, observe, type PodWork } from './pod-work.js';
import { isSidecar } from './restart-policy.js';
import { isReady, runningContainers } from './runtime-pod.js';

/** The default grace period of a container, in seconds. */
const defaultGraceSeconds = 2;

/** Grace period of the pod's containers. */
export function graceOf({ metadata, spec }: Pod): number {
  return Number(metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds);
}

export interface Termination {
  readonly graceSeconds: number;
  /** Ends the wait for slow containers: the caller that aborts terminates the pod again. */
  readonly signal: AbortSignal;
}

export type TerminateParts = ObserveParts & KillParts;

/** Stops the pod: its containers concurrently, then its sidecars in reverse order, then its sandboxes. */
export async function terminatePod(parts: TerminateParts, work: PodWork, termination: Termination): Promise<void> {
  const { graceSeconds, signal } = termination;
  await observe(parts, work);
  const running = runningContainers(work.state);
  const { initContainers = [] } = work.pod.spec ?? {};
  const order = new Map(initContainers.filter(isSidecar).map(({ name }, index) => [name, index]));
  const all = running.map(({ id = '', metadata }) => ({ id, container: specOf(work.pod, metadata?.name ?? '') }));
  const rest = all.filter(({ container }) => !order.has(container.name));
  const sidecars = all.filter(({ container }) => order.has(container.name));
  sidecars.sort((a, b) => (order.get(b.container.name) ?? 0) - (order.get(a.container.name) ?? 0));
  // Hooks of sidecars start at once; sidecars are stopped in order, after the containers that use them.
  let turn: Promise<unknown> = Promise.all(
    rest.map((one) => killContainer(parts, work, { ...one, graceSeconds, signal })),
  );
  const kills = [turn];
  for (const sidecar of sidecars) {
    turn = killContainer(parts, work, { ...sidecar, graceSeconds, signal, turn });
    kills.push(turn);
  }
  await Promise.all(kills);
  if (signal.aborted) return;
  await stopSandboxes(parts, work);
  await observe(parts, work);
}

async function stopSandboxes({ runtime }: Needs<'runtime'>, { state }: PodWork): Promise<void> {
  const ready = state.sandboxes.filter(isReady);
  await Promise.all(ready.map(({ id = '' }) => runtime.stopPodSandbox({ podSandboxId: id })));
}

/** Everything of the pod is removed from the runtime. */
export async function removeSandboxes({ runtime }: Needs<'runtime'>, { sandboxIds }: PodWork): Promise<void> {
  await Promise.all([...sandboxIds].map((podSandboxId) => runtime.removePodSandbox({ podSandboxId })));
  sandboxIds.clear();
}

function specOf({ spec }: Pod, name: string): Container {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers].find((one) => one.name === name) ?? { name };
}
