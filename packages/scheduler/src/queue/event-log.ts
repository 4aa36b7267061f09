import type { ClusterEvent } from './cluster-event.js';

interface Logged {
  readonly event: ClusterEvent;
  /** The uid of the pod that caused the event and cannot be helped by it. */
  readonly except: string | undefined;
}

/** A position in the log: the events after it have not been seen. */
export type LogPosition = number;

const mostEvents = 10_000;

/**
 * The events during scheduling attempts, stored once for all pods in an attempt: a rejected pod checks the events since
 * its attempt began. Bounded; a reader that is further behind must assume any event.
 */
export class EventLog {
  #events: Logged[] = [];
  /** The position of the first stored event. */
  #first: LogPosition = 0;

  get end(): LogPosition {
    return this.#first + this.#events.length;
  }

  add(event: ClusterEvent, except: string | undefined): void {
    this.#events.push({ event, except });
    if (this.#events.length > mostEvents) this.dropBefore(this.#first + Math.ceil(this.#events.length / 2));
  }

  /** Whether any event since the position passes the test; true if some were dropped. */
  someSince(position: LogPosition, uid: string, test: (event: ClusterEvent) => boolean): boolean {
    if (position < this.#first) return true;
    for (let i = position - this.#first; i < this.#events.length; i++) {
      const { event, except } = this.#events[i] as Logged;
      if (except !== uid && test(event)) return true;
    }
    return false;
  }

  /**
   * Earlier events are no longer needed. They are dropped when they are half of the log, so the cost per event is
   * small.
   */
  dropBefore(position: LogPosition): void {
    const count = Math.min(position - this.#first, this.#events.length);
    if (count <= 0 || count * 2 < this.#events.length) return;
    this.#events = this.#events.slice(count);
    this.#first += count;
  }
}
