import type { ClusterEvent } from './cluster-event.js';

/** The key of an event's kind, with the resource if the kind is `other`. */
export type EventKey = string;

/**
 * The events that can requeue a waiting pod: of a kind, for all resources or for some. With subjects: of the events
 * with subjects, only those with one of these.
 */
export function eventKeys(
  kind: ClusterEvent['kind'],
  resources?: readonly string[],
  subjects?: readonly string[],
): readonly EventKey[] {
  if (!resources) return [kind];
  const keys = resources.map((resource) => `${kind}/${resource}`);
  return subjects ? keys.flatMap((key) => [`${key}/${everything}`, ...subjects.map((one) => `${key}/=${one}`)]) : keys;
}

/** Keys of the pods that an event requeues. */
function placesOf(event: ClusterEvent): readonly EventKey[] {
  if (event.kind !== 'other') return [any, event.kind];
  const [key = ''] = eventKeys('other', [event.resource]);
  const subjects = event.about ? event.about.map((one) => `${key}/=${one}`) : [`${key}/${everything}`];
  return [any, event.kind, key, ...subjects];
}

/** The waiting pods by event. An event costs nothing for pods that do not wait for its kind, however many wait. */
export class WaitingIndex<T> {
  /** By event; under `any` the pods that wait for all events. */
  readonly #listening = new Map<EventKey, Set<T>>();
  readonly #keys = new Map<T, readonly EventKey[]>();

  /** `undefined`: waits for every event. */
  add(one: T, keys: Iterable<EventKey> | undefined): void {
    this.remove(one);
    const all = keys ? [...keys] : [any];
    this.#keys.set(one, all);
    for (const key of all) {
      const listening = this.#listening.get(key);
      if (listening) listening.add(one);
      else this.#listening.set(key, new Set([one]));
    }
  }

  remove(one: T): void {
    const keys = this.#keys.get(one);
    if (!keys) return;
    this.#keys.delete(one);
    for (const key of keys) {
      const listening = this.#listening.get(key);
      listening?.delete(one);
      if (listening?.size === 0) this.#listening.delete(key);
    }
  }

  /** The pods that wait for such an event and pass the test, each once. */
  listeningTo(event: ClusterEvent, test: (one: T) => boolean): Iterable<T> {
    const found = new Set<T>();
    for (const key of placesOf(event))
      for (const one of this.#listening.get(key) ?? none) if (test(one)) found.add(one);
    return found;
  }
}

const any: EventKey = 'any';
const everything = '*';
const none: Iterable<never> = [];
