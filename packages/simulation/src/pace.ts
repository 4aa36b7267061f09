import { type Clock, CoarseClock } from '@coracle/base';
import type { KubeletOptions, KubeletSettings } from '@coracle/kubelet';

/** More nodes than this start together with little else to do than to register. */
const manyNodes = 1_000;

/**
 * The intervals of a node's own work. With thousands of nodes they are longer, or reports without changes would keep a
 * core busy; they stay short enough for the controllers that monitor the nodes.
 */
export interface Pace {
  readonly periods: Pick<KubeletOptions, 'healthPeriod' | 'evictionPeriod' | 'firstLeaseWithin'>;
  readonly settings: Partial<KubeletSettings>;
  /** Of nodes by the thousand it is coarse: their heartbeats share a timer, and a transaction of the store. */
  readonly clock: Clock;
}

export class Paces {
  readonly #clock: Clock;
  readonly #settings: Partial<KubeletSettings> | undefined;
  readonly #coarse: Clock;
  #latest: { readonly factor: number; readonly isMany: boolean; readonly pace: Pace } | undefined;

  constructor({ clock, settings }: { readonly clock: Clock; readonly settings?: Partial<KubeletSettings> }) {
    this.#clock = clock;
    this.#settings = settings;
    this.#coarse = new CoarseClock({ clock, grainMs: 500, fromMs: 5_000 });
  }

  /** For each of so many nodes. The same value while it does not change: kubelets keep it. */
  of(count: number): Pace {
    const factor = Math.min(2.5, Math.max(1, count / 2_000));
    const isMany = count > manyNodes;
    if (this.#latest?.factor !== factor || this.#latest.isMany !== isMany)
      this.#latest = { factor, isMany, pace: this.#paceOf(factor, isMany) };
    return this.#latest.pace;
  }

  #paceOf(factor: number, isMany: boolean): Pace {
    return {
      periods: {
        healthPeriod: 5_000 * factor,
        evictionPeriod: 10_000 * factor,
        // The status with which a node registers says as much as a lease.
        firstLeaseWithin: isMany ? 10_000 * factor : 0,
      },
      settings: {
        nodeStatusUpdateFrequency: 10_000 * factor,
        nodeLeaseDurationSeconds: Math.round(40 * factor),
        // Nothing is pulled from a registry.
        registryPullQPS: 0,
        ...this.#settings,
      },
      clock: isMany ? this.#coarse : this.#clock,
    };
  }
}
