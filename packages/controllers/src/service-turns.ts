import type { Pod, Service } from '@coracle/api';
import type { KubeObject, ObjectKey } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { Lister } from '@coracle/client';
import { freshnessTimeoutMs, OwnWrites } from './own-writes.js';
import { Pacer, type PacerOptions } from './pacer.js';
import { TriggerTimes } from './trigger-times.js';

/**
 * Decides when the endpoints of a service may be written again: after the last write was observed, and within a rate
 * limit.
 */
export class ServiceTurns<T extends KubeObject> {
  readonly writes: OwnWrites<T>;
  readonly #pacer: Pacer;
  readonly #times = new TriggerTimes();

  constructor({ copy, clock, pace }: { readonly copy: Lister<T>; readonly clock: Clock; readonly pace: PacerOptions }) {
    this.writes = new OwnWrites(copy, clock);
    this.#pacer = new Pacer(clock, pace);
  }

  /**
   * Zero if the service may be written now, which counts. Otherwise the event of the last write enqueues its key again.
   */
  waitFor(key: ObjectKey): Millis {
    return this.writes.isFresh(key) ? this.#pacer.waitFor(key) : freshnessTimeoutMs;
  }

  /** There was nothing to write: the call does not count. */
  giveBack(key: ObjectKey): void {
    this.#pacer.giveBack(key);
  }

  /** The time of the change that is written; `undefined` if there was none. */
  triggeredAt(service: Service, pods: readonly Pod[]): Millis | undefined {
    return this.#times.next(service, pods);
  }

  forget(key: ObjectKey): void {
    for (const part of [this.writes, this.#pacer, this.#times]) part.forget(key);
  }
}
