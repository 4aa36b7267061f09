import type { MetricLabels, Metrics, Millis } from '@coracle/base';
import type { CacheSizes } from './cache/scheduler-cache.js';
import type { MeasuredPoint, Measuring, PointStatus } from './framework/measuring.js';
import type { QueuedPod } from './queue/queued-pod.js';
import type { QueueMove } from './queue/scheduling-queue.js';

/** Labels are cached by identity, which saves formatting them. */
const cacheLabels = {
  nodes: { type: 'nodes' },
  pods: { type: 'pods' },
  assumedPods: { type: 'assumed_pods' },
} as const;

export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** The metrics that dashboards for kube-scheduler use. */
export class SchedulerMetrics {
  readonly #attempts;
  readonly #attemptSeconds;
  readonly #algorithmSeconds;
  readonly #podSeconds;
  readonly #podAttempts;
  readonly #pending;
  readonly #incoming;
  readonly #unschedulable;
  readonly #preemptions;
  readonly #victims;
  readonly #cacheSize;
  readonly #pointSeconds;
  readonly #pluginSeconds;

  constructor(metrics: Metrics) {
    const counter = (name: string, help: string, ...labels: string[]) =>
      metrics.counter({ name: `scheduler_${name}`, help, labels });
    const gauge = (name: string, help: string, ...labels: string[]) =>
      metrics.gauge({ name: `scheduler_${name}`, help, labels });
    const histogram = (name: string, help: string, { buckets, labels = [] }: HistogramShape) =>
      metrics.histogram({ name: `scheduler_${name}`, help, labels, buckets });
    this.#attempts = counter('schedule_attempts_total', 'Attempts to schedule pods, by result.', 'result', 'profile');
    this.#attemptSeconds = histogram('scheduling_attempt_duration_seconds', 'How long an attempt took, with binding.', {
      labels: ['result', 'profile'],
      buckets: powersOfTwo(0.001, 15),
    });
    this.#algorithmSeconds = histogram('scheduling_algorithm_duration_seconds', 'How long it took to find a node.', {
      buckets: powersOfTwo(0.001, 15),
    });
    this.#podSeconds = histogram(
      'pod_scheduling_sli_duration_seconds',
      'From the first time in the queue to binding.',
      {
        labels: ['attempts'],
        buckets: powersOfTwo(0.01, 20),
      },
    );
    this.#podAttempts = histogram('pod_scheduling_attempts', 'Attempts that a pod took to be scheduled.', {
      buckets: powersOfTwo(1, 5),
    });
    this.#pending = gauge('pending_pods', 'Pods that wait, by queue.', 'queue');
    this.#incoming = counter('queue_incoming_pods_total', 'Pods that came to a queue, by reason.', 'queue', 'event');
    this.#unschedulable = gauge('unschedulable_pods', 'Pods that a plugin keeps unschedulable.', 'plugin', 'profile');
    this.#preemptions = counter('preemption_attempts_total', 'Attempts to make room by preemption.');
    this.#victims = histogram('preemption_victims', 'Pods that one preemption took.', { buckets: powersOfTwo(1, 7) });
    this.#pointSeconds = histogram(
      'framework_extension_point_duration_seconds',
      'How long all plugins of an extension point took.',
      { labels: ['extension_point', 'status', 'profile'], buckets: powersOf(2, { first: 0.0001, count: 12 }) },
    );
    this.#pluginSeconds = histogram(
      'plugin_execution_duration_seconds',
      'How long a plugin took at an extension point; sampled.',
      { labels: ['plugin', 'extension_point', 'status'], buckets: powersOf(1.5, { first: 0.00001, count: 20 }) },
    );
    this.#cacheSize = gauge('cache_size', 'Nodes, pods and assumed pods in the cache.', 'type');
  }

  attempt(result: AttemptResult, profile: string, tookMs: Millis): void {
    this.#attempts.add(1, { result, profile });
    this.#attemptSeconds.observe(tookMs / 1_000, { result, profile });
  }

  algorithm(tookMs: Millis): void {
    this.#algorithmSeconds.observe(tookMs / 1_000);
  }

  bound({ attempts, waitedMs }: { readonly attempts: number; readonly waitedMs: Millis }): void {
    this.#podAttempts.observe(attempts);
    this.#podSeconds.observe(waitedMs / 1_000, { attempts: attempts < 15 ? String(attempts) : '15+' });
  }

  /** The plugins that have rejected a pod are counted until it is tried again or deleted. */
  moved({ pod, from, to, event }: QueueMove): void {
    if (from) this.#pending.add(-1, { queue: from });
    if (!from || !to) this.#countUnschedulable(pod, from ? -1 : 1);
    if (!to) return;
    this.#pending.add(1, { queue: to });
    this.#incoming.add(1, { queue: to, event });
  }

  #countUnschedulable({ refusedBy, info }: QueuedPod, change: 1 | -1): void {
    const profile = info.pod.spec?.schedulerName ?? '';
    for (const plugin of refusedBy) this.#unschedulable.add(change, { plugin, profile });
  }

  /** The plugins of a profile. */
  measuring(profile: string, now: () => Millis): Measuring {
    // Labels are cached by identity, which saves formatting them.
    const ofPoints = new Map<MeasuredPoint, Map<PointStatus, MetricLabels>>();
    const ofPlugins = new Map<string, MetricLabels>();
    return {
      now,
      point: (extension_point, status, ms) => {
        const byStatus = getOrMake(ofPoints, extension_point, () => new Map<PointStatus, MetricLabels>());
        const labels = getOrMake(byStatus, status, () => ({ extension_point, status, profile }));
        this.#pointSeconds.observe(ms / 1_000, labels);
      },
      plugin: (plugin, extension_point, status, ms) => {
        const labels = getOrMake(ofPlugins, `${plugin} ${extension_point} ${status}`, () => ({
          plugin,
          extension_point,
          status,
        }));
        this.#pluginSeconds.observe(ms / 1_000, labels);
      },
    };
  }

  preempted(victims: number): void {
    this.#victims.observe(victims);
  }

  preempting(): void {
    this.#preemptions.add(1);
  }

  /** Called for every event of a node or pod. */
  cached({ nodes, pods, assumedPods }: CacheSizes): void {
    this.#cacheSize.set(nodes, cacheLabels.nodes);
    this.#cacheSize.set(pods, cacheLabels.pods);
    this.#cacheSize.set(assumedPods, cacheLabels.assumedPods);
  }
}

interface HistogramShape {
  readonly buckets: readonly number[];
  readonly labels?: readonly string[];
}

function powersOfTwo(first: number, count: number): number[] {
  return powersOf(2, { first, count });
}

function powersOf(factor: number, { first, count }: { readonly first: number; readonly count: number }): number[] {
  return Array.from({ length: count }, (_, power) => first * factor ** power);
}

/** The value in the map; created and added if it is missing. */
function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
