import type { Millis } from '@coracle/base';
import { Distribution } from './distribution.js';
import type { MetricFamily, MetricSample } from './exposition.js';

export type ContainerType = 'container' | 'ephemeral_container' | 'init_container';

/** Why a pod was synced: its first time, a change of the pod, a change of its containers, its end. */
export type SyncOperation = 'create' | 'kill' | 'sync' | 'update';

const startBounds = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];

interface Count {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/** What a kubelet counts of its pods for `/metrics`. Small, because simulated nodes are many. */
export class PodCounts {
  #pods = 0;
  #podErrors = 0;
  readonly #containers = new Map<string, Count>();
  readonly #containerErrors = new Map<string, Count>();
  readonly #syncs = new Map<SyncOperation, Distribution>();
  readonly #starts = new Distribution(startBounds);
  readonly #relists = new Distribution();

  /** A sandbox is about to be created. */
  startsPod(): void {
    this.#pods++;
  }

  failsPod(): void {
    this.#podErrors++;
  }

  startsContainer(type: ContainerType): void {
    add(this.#containers, { container_type: type });
  }

  /** `code` is the reason that the pod's status shows. */
  failsContainer(type: ContainerType, code: string): void {
    add(this.#containerErrors, { code, container_type: type });
  }

  synced(operation: SyncOperation, took: Millis): void {
    const found = this.#syncs.get(operation) ?? new Distribution();
    this.#syncs.set(operation, found);
    found.observe(took / 1_000);
  }

  /** A pod runs, so long after the kubelet saw it first. */
  ran(after: Millis): void {
    this.#starts.observe(after / 1_000);
  }

  relisted(took: Millis): void {
    this.#relists.observe(took / 1_000);
  }

  families(): MetricFamily[] {
    const counter = (name: string, help: string, samples: readonly MetricSample[]): MetricFamily => {
      return { name: `kubelet_${name}`, type: 'counter', help: `[ALPHA] ${help}`, samples };
    };
    const histogram = (name: string, help: string, samples: readonly MetricSample[]): MetricFamily => {
      return { name: `kubelet_${name}`, type: 'histogram', help: `[ALPHA] ${help}`, samples };
    };
    const syncs = [...this.#syncs].flatMap(([operation, found]) => found.samples({ operation_type: operation }));
    return [
      counter('started_pods_total', 'Cumulative number of pods started', [{ value: this.#pods }]),
      counter('started_pods_errors_total', 'Cumulative number of errors when starting pods', [
        { value: this.#podErrors },
      ]),
      counter('started_containers_total', 'Cumulative number of containers started', [...this.#containers.values()]),
      counter('started_containers_errors_total', 'Cumulative number of errors when starting containers', [
        ...this.#containerErrors.values(),
      ]),
      histogram(
        'pod_worker_duration_seconds',
        'Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync',
        syncs,
      ),
      histogram(
        'pod_start_duration_seconds',
        'Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run',
        this.#starts.samples(),
      ),
      histogram(
        'pleg_relist_duration_seconds',
        'Duration in seconds for relisting pods in PLEG.',
        this.#relists.samples(),
      ),
    ];
  }
}

function add(counts: Map<string, Count>, labels: Readonly<Record<string, string>>): void {
  const key = Object.values(labels).join('/');
  const count = counts.get(key) ?? { labels, value: 0 };
  count.value++;
  counts.set(key, count);
}
