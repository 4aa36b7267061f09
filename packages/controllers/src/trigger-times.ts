import type { Pod, Service } from '@coracle/api';
import { keyOf, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

/**
 * The time of the change of a service's endpoints, for measurements of the programming latency. Of several changes
 * since the last sync, it is the earliest.
 */
export class TriggerTimes {
  /** By service: the state of it and of its pods at the last sync. */
  readonly #times = new Map<string, Map<string, Millis>>();

  /** `undefined` if there was no change. */
  next(service: Service, pods: readonly Pod[]): Millis | undefined {
    const key = keyOf(service);
    const before = this.#times.get(key);
    const now = new Map<string, Millis>([['', createdAt(service)]]);
    for (const pod of pods) now.set(pod.metadata.name ?? '', changedAt(pod));
    this.#times.set(key, now);
    let earliest: Millis | undefined;
    for (const [name, at] of now) {
      if (at <= (before?.get(name) ?? 0)) continue;
      if (earliest === undefined || at < earliest) earliest = at;
    }
    return earliest;
  }

  forget(serviceKey: string): void {
    this.#times.delete(serviceKey);
  }
}

function createdAt({ metadata }: Service): Millis {
  return parseTime(metadata.creationTimestamp ?? '') ?? 0;
}

/** A pod changes its service's endpoints when it becomes ready, or no longer is. */
function changedAt({ status }: Pod): Millis {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return parseTime(ready?.lastTransitionTime ?? '') ?? 0;
}
