import type { Counter, Gauge, Metrics } from '@coracle/base';
import type { Availability } from './check-availability.js';

/** How available the servers behind APIServices are, as alert rules read it. */
export class AvailabilityMetrics {
  readonly #now: Gauge;
  readonly #times: Counter;
  readonly #unavailable = new Set<string>();

  constructor(metrics: Metrics) {
    this.#now = metrics.gauge({
      name: 'aggregator_unavailable_apiservice',
      help: '[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.',
      labels: ['name'],
    });
    this.#times = metrics.counter({
      name: 'aggregator_unavailable_apiservice_total',
      help: '[ALPHA] Counter of APIServices which are marked as unavailable broken down by APIService name and reason.',
      labels: ['name', 'reason'],
    });
  }

  /** After each check. */
  checked(name: string, { status }: Availability): void {
    const isAvailable = status === 'True';
    this.#now.set(isAvailable ? 0 : 1, { name });
    if (isAvailable) this.#unavailable.delete(name);
    else this.#unavailable.add(name);
  }

  /** The condition that is written is not the same as before. */
  changed(name: string, before: string | undefined, { status, reason }: Availability): void {
    if (before === 'True' && status !== 'True') this.#times.add(1, { name, reason });
  }

  /** Those that were deleted are not unavailable. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.#unavailable) {
      if (names.has(name)) continue;
      this.#now.set(0, { name });
      this.#unavailable.delete(name);
    }
  }
}
