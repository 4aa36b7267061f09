import type { Clock, Histogram, MetricLabels, Metrics, Millis } from '@coracle/base';

const exponential = (first: number) => Array.from({ length: 8 }, (_, power) => first * 4 ** power);

/** Metrics of the zones, with the names of kube-controller-manager. */
export class NodeMetrics {
  readonly #clock: Clock;
  readonly #of: ReturnType<typeof make>;
  /** By zone. Labels are cached by identity, which saves formatting them. */
  readonly #labels = new Map<string, MetricLabels>();

  constructor({ clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics }) {
    this.#clock = clock;
    this.#of = make(metrics);
  }

  /** `ready` of each node of the zone; none for a removed zone. */
  zone(zone: string, ready: readonly string[]): void {
    const unhealthy = ready.filter((status) => status !== 'True').length;
    const labels = this.#labelsOf(zone);
    this.#of.size.set(ready.length, labels);
    this.#of.unhealthy.set(unhealthy, labels);
    this.#of.health.set(ready.length === 0 ? 100 : (100 * (ready.length - unhealthy)) / ready.length, labels);
  }

  evicted(zone: string): void {
    this.#of.evictions.add(1, this.#labelsOf(zone));
  }

  checkingNode<T>(check: () => Promise<T>): Promise<T> {
    return this.#timed(this.#of.nodeDuration, check);
  }

  checkingAll<T>(check: () => Promise<T>): Promise<T> {
    return this.#timed(this.#of.passDuration, check);
  }

  #labelsOf(zone: string): MetricLabels {
    let labels = this.#labels.get(zone);
    if (!labels) {
      labels = { zone };
      this.#labels.set(zone, labels);
    }
    return labels;
  }

  async #timed<T>(histogram: Histogram, work: () => Promise<T>): Promise<T> {
    const start: Millis = this.#clock.now();
    try {
      return await work();
    } finally {
      histogram.observe((this.#clock.now() - start) / 1000);
    }
  }
}

function make(metrics: Metrics) {
  const named = (name: string, help: string) => ({ name: `node_collector_${name}`, help });
  const byZone = (name: string, help: string) => ({ ...named(name, help), labels: ['zone'] });
  return {
    health: metrics.gauge(byZone('zone_health', 'Gauge measuring percentage of healthy nodes per zone.')),
    size: metrics.gauge(byZone('zone_size', 'Gauge measuring number of registered Nodes per zones.')),
    unhealthy: metrics.gauge(byZone('unhealthy_nodes_in_zone', 'Gauge measuring number of not Ready Nodes per zones.')),
    evictions: metrics.counter(
      byZone(
        'evictions_total',
        'Number of Node evictions that happened since current instance of NodeController started.',
      ),
    ),
    nodeDuration: metrics.histogram({
      ...named('update_node_health_duration_seconds', 'Seconds that updating the health of a single node takes.'),
      buckets: exponential(0.001),
    }),
    passDuration: metrics.histogram({
      ...named('update_all_nodes_health_duration_seconds', 'Seconds that updating the health of all nodes takes.'),
      buckets: exponential(0.01),
    }),
  };
}
