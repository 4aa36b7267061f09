import type { Pod } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { PodSamples } from './metric-samples.js';

export interface ReadinessSettings {
  /**
   * `--horizontal-pod-autoscaler-cpu-initialization-period`: for this time after its start a pod's CPU counts only
   * while it is ready.
   */
  readonly cpuInitializationMs: Millis;
  /**
   * `--horizontal-pod-autoscaler-initial-readiness-delay`: for this time, a pod that was never ready is ignored for
   * CPU.
   */
  readonly initialReadinessDelayMs: Millis;
}

export interface PodGroups {
  readonly readyCount: number;
  /** Pending, or without enough samples. */
  readonly unready: ReadonlySet<string>;
  /** Running without a sample. */
  readonly missing: ReadonlySet<string>;
  /** Terminating or failed. */
  readonly ignored: ReadonlySet<string>;
}

/** HPA-16: groups pods by whether they count. CPU usage of starting pods is not used. */
export function groupPods(
  pods: readonly Pod[],
  samples: PodSamples,
  {
    resource,
    now,
    settings,
  }: { readonly resource: string; readonly now: Millis; readonly settings: ReadinessSettings },
): PodGroups {
  const groups = { readyCount: 0, unready: new Set<string>(), missing: new Set<string>(), ignored: new Set<string>() };
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp || pod.status?.phase === 'Failed') groups.ignored.add(name);
    else if (pod.status?.phase === 'Pending') groups.unready.add(name);
    else if (!samples.has(name)) groups.missing.add(name);
    else if (resource === 'cpu' && isStarting(pod, samples, { now, settings })) groups.unready.add(name);
    else groups.readyCount++;
  }
  return groups;
}

function isStarting(
  { metadata, status }: Pod,
  samples: PodSamples,
  { now, settings }: { readonly now: Millis; readonly settings: ReadinessSettings },
): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const startedAt = parseTime(status?.startTime ?? '');
  if (!ready || startedAt === undefined) return true;
  const changedAt = parseTime(ready.lastTransitionTime ?? '') ?? 0;
  if (startedAt + settings.cpuInitializationMs > now) {
    const sample = samples.get(metadata.name ?? '');
    return ready.status === 'False' || (sample !== undefined && sample.at < changedAt + sample.windowMs);
  }
  return ready.status === 'False' && startedAt + settings.initialReadinessDelayMs > changedAt;
}

/** The samples without those of some pods. */
export function without(samples: PodSamples, ...names: readonly ReadonlySet<string>[]): PodSamples {
  return new Map([...samples].filter(([name]) => !names.some((set) => set.has(name))));
}
