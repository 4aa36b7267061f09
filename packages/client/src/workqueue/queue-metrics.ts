import type { Clock, Counter, Gauge, Histogram, MetricLabels, Metrics, Millis } from '@coracle/base';
import type { QueueObserver } from './queue-observer.js';

const labels = ['name'];
/** Buckets from 10 ns to 1000 s. */
const buckets = Array.from({ length: 12 }, (_, power) => 1e-8 * 10 ** power);

/** The metrics that every Kubernetes controller has, under their usual names. */
export class QueueMetrics<Key> implements QueueObserver<Key> {
  readonly #clock: Clock;
  readonly #labels: MetricLabels;
  readonly #depth: Gauge;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #queueDuration: Histogram;
  readonly #workDuration: Histogram;
  readonly #unfinished: Gauge;
  readonly #longest: Gauge;
  readonly #addedAt = new Map<Key, Millis>();
  readonly #takenAt = new Map<Key, Millis>();

  constructor({ metrics, clock, name }: { readonly metrics: Metrics; readonly clock: Clock; readonly name: string }) {
    this.#clock = clock;
    this.#labels = { name };
    const named = (metric: string, help: string) => ({ name: `workqueue_${metric}`, help, labels });
    this.#depth = metrics.gauge(named('depth', 'Current depth of workqueue'));
    this.#adds = metrics.counter(named('adds_total', 'Total number of adds handled by workqueue'));
    this.#retries = metrics.counter(named('retries_total', 'Total number of retries handled by workqueue'));
    this.#queueDuration = metrics.histogram({
      ...named('queue_duration_seconds', 'How long in seconds an item stays in workqueue before being requested.'),
      buckets,
    });
    this.#workDuration = metrics.histogram({
      ...named('work_duration_seconds', 'How long in seconds processing an item from workqueue takes.'),
      buckets,
    });
    this.#unfinished = metrics.gauge(
      named('unfinished_work_seconds', 'Seconds of work in progress that work_duration has not observed yet.'),
    );
    this.#longest = metrics.gauge(
      named('longest_running_processor_seconds', 'Seconds that the longest running processor has been running.'),
    );
    // The metrics exist before the first key.
    for (const metric of [this.#depth, this.#adds, this.#retries, this.#unfinished, this.#longest])
      metric.add(0, this.#labels);
  }

  added(key: Key): void {
    this.#adds.add(1, this.#labels);
    this.#depth.add(1, this.#labels);
    this.#addedAt.set(key, this.#clock.now());
  }

  taken(key: Key): void {
    const now = this.#clock.now();
    this.#depth.add(-1, this.#labels);
    this.#queueDuration.observe((now - (this.#addedAt.get(key) ?? now)) / 1000, this.#labels);
    this.#addedAt.delete(key);
    this.#takenAt.set(key, now);
    this.#reportUnfinished(now);
  }

  done(key: Key): void {
    const now = this.#clock.now();
    this.#workDuration.observe((now - (this.#takenAt.get(key) ?? now)) / 1000, this.#labels);
    this.#takenAt.delete(key);
    this.#reportUnfinished(now);
  }

  retried(): void {
    this.#retries.add(1, this.#labels);
  }

  /** Taken keys are as many as there are workers: few. */
  #reportUnfinished(now: Millis): void {
    let total = 0;
    let longest = 0;
    for (const takenAt of this.#takenAt.values()) {
      total += now - takenAt;
      longest = Math.max(longest, now - takenAt);
    }
    this.#unfinished.set(total / 1000, this.#labels);
    this.#longest.set(longest / 1000, this.#labels);
  }
}
