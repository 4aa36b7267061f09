import type { Clock, Millis } from '@coracle/base';
import type { Revision } from '@coracle/store';
import type { CacheEvent } from './cache-event.js';

const lowerBound = 100;
const upperBound = 102_400;
/** Time for which events are fresh: a watcher that reconnects within it finds the events that it missed. */
const freshMs: Millis = 75_000;
/** Maximum memory for the events of one resource, however fresh they are. */
const mostBytes = 4 * 2 ** 20;

/**
 * The last events of a resource, in order of revision, in a ring buffer that doubles while it holds only fresh events
 * and halves when three quarters of it are old. When they take too much memory the oldest are dropped, down to the
 * minimum capacity.
 */
export class EventWindow {
  readonly #clock: Clock;
  /** Allocated with the first event: most resources have none. */
  #ring: (CacheEvent | undefined)[] = [];
  #capacity = lowerBound;
  /** Total number of events so far; modulo the capacity it is the position in the ring. */
  #start = 0;
  #end = 0;
  #bytes = 0;
  /** The window holds all events after this revision. */
  #since: Revision;

  constructor(clock: Clock, since: Revision) {
    this.#clock = clock;
    this.#since = since;
  }

  get capacity(): number {
    return this.#capacity;
  }

  get size(): number {
    return this.#end - this.#start;
  }

  add(event: CacheEvent): void {
    if (this.size === this.capacity) this.#resize();
    if (this.size === this.capacity) this.#dropOldest();
    this.#ring[this.#end++ % this.#capacity] = event;
    this.#bytes += event.size;
    while (this.#bytes > mostBytes && this.size > lowerBound) this.#dropOldest();
  }

  /** All events after `revision`, or `undefined` if some of them have been dropped. */
  after(revision: Revision): CacheEvent[] | undefined {
    if (revision < this.#since) return undefined;
    let low = this.#start;
    let high = this.#end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle).revision <= revision) low = middle + 1;
      else high = middle;
    }
    const events: CacheEvent[] = [];
    for (let i = low; i < this.#end; i++) events.push(this.#at(i));
    return events;
  }

  /** The oldest revision that a watch may start after. */
  get oldest(): Revision {
    return this.#since;
  }

  #resize(): void {
    const oldestFresh = this.#clock.now() - freshMs;
    const { capacity } = this;
    if (this.#at(this.#start).recordedAt >= oldestFresh) {
      if (capacity < upperBound) this.#moveTo(Math.min(capacity * 2, upperBound));
    } else if (this.#at(this.#end - (capacity >> 2)).recordedAt < oldestFresh && capacity > lowerBound) {
      this.#moveTo(Math.max(capacity >> 1, lowerBound));
    }
  }

  #moveTo(capacity: number): void {
    while (this.size > capacity) this.#dropOldest();
    const ring: (CacheEvent | undefined)[] = new Array(capacity);
    for (let i = this.#start; i < this.#end; i++) ring[i % capacity] = this.#at(i);
    this.#ring = ring;
    this.#capacity = capacity;
  }

  #dropOldest(): void {
    const oldest = this.#at(this.#start);
    this.#since = oldest.revision;
    this.#bytes -= oldest.size;
    this.#ring[this.#start++ % this.#capacity] = undefined;
  }

  #at(index: number): CacheEvent {
    return this.#ring[index % this.#capacity] as CacheEvent;
  }
}
