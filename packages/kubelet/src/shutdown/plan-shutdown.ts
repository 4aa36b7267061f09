import type { Pod } from '@coracle/api';
import type { KubeletSettings } from '../settings.js';

/** Pods that terminate together at node shutdown. */
export interface ShutdownGroup {
  /** The lowest priority in the group. */
  readonly priority: number;
  readonly seconds: number;
  readonly pods: readonly Pod[];
}

export type ShutdownSettings = Pick<
  KubeletSettings,
  'shutdownGracePeriod' | 'shutdownGracePeriodCriticalPods' | 'shutdownGracePeriodByPodPriority'
>;

/** The priority of system-critical pods. */
const criticalPriority = 2_000_000_000;

/** The groups without their pods, the lowest priority first; none if graceful node shutdown is disabled. */
export function shutdownGroups(settings: ShutdownSettings): readonly Omit<ShutdownGroup, 'pods'>[] {
  const { shutdownGracePeriodByPodPriority: byPriority } = settings;
  if (byPriority.length > 0) {
    const groups = byPriority.map(({ priority, shutdownGracePeriodSeconds: seconds }) => ({ priority, seconds }));
    return groups.some(({ seconds }) => seconds > 0) ? groups.sort((a, b) => a.priority - b.priority) : [];
  }
  const total = Math.floor(settings.shutdownGracePeriod / 1_000);
  const critical = Math.floor(settings.shutdownGracePeriodCriticalPods / 1_000);
  if (total <= 0) return [];
  return [
    { priority: 0, seconds: total - critical },
    { priority: criticalPriority, seconds: critical },
  ];
}

/**
 * The groups with their pods, in order. A pod belongs to the last group whose priority it has reached, otherwise to the
 * first.
 */
export function planShutdown(settings: ShutdownSettings, pods: readonly Pod[]): readonly ShutdownGroup[] {
  const groups = shutdownGroups(settings).map((group) => ({ ...group, pods: [] as Pod[] }));
  for (const pod of pods) {
    const priority = pod.spec?.priority ?? 0;
    const group = groups.findLast((one) => priority >= one.priority) ?? groups[0];
    group?.pods.push(pod);
  }
  return groups;
}

/** A pod with a shorter grace period than its group keeps its own. */
export function graceWithin({ spec }: Pod, seconds: number): number {
  return Math.min(Number(spec?.terminationGracePeriodSeconds ?? seconds), seconds);
}
