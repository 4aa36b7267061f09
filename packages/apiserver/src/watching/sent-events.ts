import type { ResourceInfo } from '@coracle/apimachinery';
import type { Counter, Histogram, MetricLabels, Metrics } from '@coracle/base';

/** Buckets from 1 to 128 KiB. */
const sizeBuckets: readonly number[] = Array.from({ length: 8 }, (_, i) => 1024 * 2 ** i);

/** Counts the events that watches send, and their sizes: `apiserver_watch_events_total`, `apiserver_watch_events_sizes`. */
export class SentEvents {
  readonly #total: Counter;
  readonly #sizes: Histogram;
  readonly #meters = new Map<string, EventMeter>();

  constructor(metrics: Metrics) {
    const labels = ['group', 'version', 'resource'];
    this.#total = metrics.counter({
      name: 'apiserver_watch_events_total',
      help: 'Events sent to watchers, by resource.',
      labels,
    });
    this.#sizes = metrics.histogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Bytes of the events sent to watchers, by resource.',
      labels,
      buckets: sizeBuckets,
    });
  }

  /**
   * One meter for each resource and version, and another for its events without a size, so that the two do not alternate
   * in one meter.
   */
  meterOf(info: Pick<ResourceInfo, 'group' | 'version' | 'resource'>, kind: 'bytes' | 'values'): EventMeter {
    const { group, version, resource } = info;
    const name = `${kind} ${group}/${version}/${resource}`;
    let meter = this.#meters.get(name);
    if (!meter) {
      meter = new EventMeter(this.#total, this.#sizes, { group, version, resource });
      this.#meters.set(name, meter);
    }
    return meter;
  }

  /** Updates the metrics; call it before they are read. */
  settle(): void {
    for (const meter of this.#meters.values()) meter.settle();
  }
}

/**
 * Events of one resource. The watchers of a change receive it one after the other, so an event mostly has the size of
 * the one before it; as long as it has, counting it is one addition.
 */
export class EventMeter {
  readonly #total: Counter;
  readonly #sizes: Histogram;
  readonly #labels: MetricLabels;
  #bytes = 0;
  #times = 0;

  constructor(total: Counter, sizes: Histogram, labels: MetricLabels) {
    this.#total = total;
    this.#sizes = sizes;
    this.#labels = labels;
  }

  /** Zero for an event that was delivered in process and has no size. */
  sent(bytes: number): void {
    if (bytes !== this.#bytes) {
      this.settle();
      this.#bytes = bytes;
    }
    this.#times++;
  }

  settle(): void {
    if (this.#times === 0) return;
    this.#total.add(this.#times, this.#labels);
    if (this.#bytes > 0) this.#sizes.observe(this.#bytes, this.#labels, this.#times);
    this.#times = 0;
  }
}
