import type { Service } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import type { Counter, Gauge, Histogram, Metrics } from '@coracle/base';
import { spreadsByHints } from './traffic-hints.js';
import { wantsTopologyHints } from './zone-shares.js';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of syncs of services: their results, and the traffic distribution of the services. */
export class SyncMetrics {
  readonly #syncs: Counter;
  readonly #changed: Histogram;
  readonly #services: Gauge;
  readonly #distributions = new Map<ObjectKey, string>();

  constructor(metrics: Metrics, subsystem: string) {
    const named = (name: string, help: string, labels: readonly string[]) => ({
      name: `${subsystem}_${name}`,
      help,
      labels,
    });
    this.#syncs = metrics.counter(named('syncs', 'Number of EndpointSlice syncs', ['result']));
    this.#changed = metrics.histogram({
      ...named('endpointslices_changed_per_sync', 'Number of EndpointSlices changed on each Service sync', [
        'topology',
        'traffic_distribution',
      ]),
      buckets,
    });
    this.#services = metrics.gauge(
      named('services_count_by_traffic_distribution', 'Number of Services using some specific trafficDistribution', [
        'traffic_distribution',
      ]),
    );
  }

  /** `written`: number of written slices. */
  succeeded(service: Service, written: number): void {
    const topology = wantsTopologyHints(service) ? 'Auto' : 'Disabled';
    const { trafficDistribution = '' } = service.spec ?? {};
    const distribution = topology === 'Disabled' && spreadsByHints(trafficDistribution) ? trafficDistribution : '';
    this.#syncs.add(1, { result: 'success' });
    this.#changed.observe(written, { topology, traffic_distribution: distribution });
    this.#setDistribution(keyOf(service), distribution);
  }

  failed(): void {
    this.#syncs.add(1, { result: 'error' });
  }

  forget(key: ObjectKey): void {
    this.#setDistribution(key, '');
  }

  #setDistribution(key: ObjectKey, distribution: string): void {
    const before = this.#distributions.get(key) ?? '';
    if (before === distribution) return;
    if (before !== '') this.#services.add(-1, { traffic_distribution: before });
    if (distribution === '') this.#distributions.delete(key);
    else {
      this.#distributions.set(key, distribution);
      this.#services.add(1, { traffic_distribution: distribution });
    }
  }
}
