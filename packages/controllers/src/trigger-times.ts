import type { Pod, Service } from '@coracle/api';
import { keyOf, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

/**
 * When that happened which made the endpoints of a service change, for those who measure how long it took to be known.
 * Of several changes since the last look, it is the earliest.
 */
export class TriggerTimes {
  /** By service: what was known of it and of its pods at the last look. */
  readonly #times = new Map<string, Map<string, Millis>>();

  /** `undefined` if nothing new has been seen. */
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
