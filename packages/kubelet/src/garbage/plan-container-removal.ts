import type { Millis } from '@coracle/base';
import { type Container, ContainerState, type PodSandbox, PodSandboxState } from '@coracle/cri';
import { podUidLabel } from '../runtime-labels.js';
import { millisOf } from '../runtime-pod.js';
import type { KubeletSettings } from '../settings.js';

/** The state of a pod for garbage collection: unknown, terminated, or running. */
export type PodRemains = 'gone' | 'terminated' | 'active';

export interface ContainerRemovalInput {
  readonly containers: readonly Container[];
  readonly sandboxes: readonly PodSandbox[];
  readonly now: Millis;
  readonly settings: Pick<
    KubeletSettings,
    'minimumContainerTTLDuration' | 'maximumDeadContainersPerContainer' | 'maximumDeadContainers'
  >;
  readonly remainsOf: (podUid: string) => PodRemains;
  /** Whether the remains of ended pods that are not deleted are removed too: disk space is needed. */
  readonly all: boolean;
}

export interface ContainerRemovalPlan {
  readonly containers: readonly Container[];
  readonly sandboxes: readonly PodSandbox[];
}

/** Pure: the dead containers and sandboxes to remove. */
export function planContainerRemoval(input: ContainerRemovalInput): ContainerRemovalPlan {
  const containers = containersToRemove(input);
  const removed = new Set(containers.map(({ id }) => id));
  const left = input.containers.filter(({ id }) => !removed.has(id));
  return { containers, sandboxes: sandboxesToRemove(input, left) };
}

function containersToRemove(input: ContainerRemovalInput): Container[] {
  const { settings } = input;
  const groups = deadGroups(input);
  const removed: Container[] = [];
  for (const [key, dead] of groups) {
    const most = isUnwanted(input, uidOf(dead[0])) ? 0 : settings.maximumDeadContainersPerContainer;
    if (most >= 0) removed.push(...dead.splice(most));
    if (dead.length === 0) groups.delete(key);
  }
  return [...removed, ...beyondTotal(groups, settings.maximumDeadContainers)];
}

/** By pod and container, newest first. */
function deadGroups({ containers, now, settings }: ContainerRemovalInput): Map<string, Container[]> {
  const groups = new Map<string, Container[]>();
  for (const container of containers) {
    const age = now - millisOf(container.createdAt);
    if (container.state === ContainerState.CONTAINER_RUNNING || age < settings.minimumContainerTTLDuration) continue;
    const key = `${uidOf(container)}/${container.metadata?.name}`;
    const group = groups.get(key);
    if (group) group.push(container);
    else groups.set(key, [container]);
  }
  for (const group of groups.values()) group.sort(newestFirst);
  return groups;
}

/** Every container keeps its share of dead instances, at least one; then the oldest are removed. */
function beyondTotal(groups: ReadonlyMap<string, Container[]>, most: number): Container[] {
  const count = () => [...groups.values()].reduce((sum, { length }) => sum + length, 0);
  if (most < 0 || count() <= most) return [];
  const each = Math.max(1, Math.floor(most / groups.size));
  const removed = [...groups.values()].flatMap((dead) => dead.splice(each));
  const left = [...groups.values()].flat().sort(newestFirst);
  return [...removed, ...left.slice(most)];
}

/** A sandbox is removed when it is empty and its pod has a newer one, or is deleted. */
function sandboxesToRemove(input: ContainerRemovalInput, containers: readonly Container[]): PodSandbox[] {
  const occupied = new Set(containers.map(({ podSandboxId }) => podSandboxId));
  const byPod = new Map<string, PodSandbox[]>();
  for (const sandbox of input.sandboxes) {
    const uid = uidOf(sandbox);
    byPod.set(uid, [...(byPod.get(uid) ?? []), sandbox]);
  }
  return [...byPod].flatMap(([uid, sandboxes]) => {
    const candidates = isUnwanted(input, uid) ? sandboxes : sandboxes.sort(newestFirst).slice(1);
    return candidates.filter(({ id, state }) => state !== PodSandboxState.SANDBOX_READY && !occupied.has(id));
  });
}

function isUnwanted({ remainsOf, all }: ContainerRemovalInput, uid: string): boolean {
  const remains = remainsOf(uid);
  return remains === 'gone' || (all && remains === 'terminated');
}

function uidOf(of: Pick<Container, 'labels'> | undefined): string {
  return of?.labels?.[podUidLabel] ?? '';
}

function newestFirst(a: { readonly createdAt?: number }, b: { readonly createdAt?: number }): number {
  return (b.createdAt ?? 0) - (a.createdAt ?? 0);
}
