import type { PrometheusMetrics } from '@coracle/base';
import type { ResourceTable } from '../registry/resource-table.js';
import { describeBuild, type ProcessStats, ProcessUse } from './process-metrics.js';

export interface MetricsSource {
  readonly metrics: PrometheusMetrics;
  readonly resources: ResourceTable;
  readonly processStats?: (() => ProcessStats) | undefined;
  /** Updates the metrics that are computed on request. */
  readonly settle?: (() => void) | undefined;
  /** Size of the store on disk, if it has files. */
  readonly storeSize?: (() => Promise<number | undefined>) | undefined;
}

/** The text of `/metrics`. Metrics that are not counted as events occur are computed on request. */
export class MetricsPage {
  readonly #source: MetricsSource;
  readonly #processUse: ProcessUse;
  #storeBytes: number | undefined;

  constructor(source: MetricsSource) {
    this.#source = source;
    this.#processUse = new ProcessUse(source.metrics);
    describeBuild(source.metrics);
    this.#measureStore();
  }

  render(): string {
    const { metrics, processStats, settle } = this.#source;
    settle?.();
    this.#measureStore();
    this.#countObjects();
    if (processStats) this.#processUse.show(processStats());
    return metrics.render();
  }

  /** Resets the counters. */
  reset(): void {
    this.#source.settle?.();
    this.#source.metrics.reset();
    this.#processUse.reset();
  }

  /**
   * Shows the last response of the store and sends a new request, so that a store that does not respond cannot block
   * the other metrics.
   */
  #measureStore(): void {
    const { metrics, storeSize } = this.#source;
    if (this.#storeBytes !== undefined) {
      const size = metrics.gauge({
        name: 'apiserver_storage_size_bytes',
        help: 'Size of the store on disk, in bytes.',
        labels: ['storage_cluster_id'],
      });
      size.set(this.#storeBytes, { storage_cluster_id: 'etcd-0' });
    }
    storeSize?.().then(
      (bytes) => {
        this.#storeBytes = bytes;
      },
      () => {},
    );
  }

  #countObjects(): void {
    const { metrics, resources } = this.#source;
    const help = 'Stored objects by resource.';
    const objects = metrics.gauge({ name: 'apiserver_resource_objects', help, labels: ['group', 'resource'] });
    // The name before v1.34, which many dashboards still query.
    const former = metrics.gauge({ name: 'apiserver_storage_objects', help, labels: ['resource'] });
    const revision = metrics.gauge({
      name: 'apiserver_watch_cache_resource_version',
      help: 'How far the cache of a resource has come.',
      labels: ['group', 'resource'],
    });
    const capacity = metrics.gauge({
      name: 'watch_cache_capacity',
      help: 'Events that the cache of a resource can hold.',
      labels: ['group', 'resource'],
    });
    for (const { group, resource, storage } of resources.allStored()) {
      revision.set(storage.cache.revision, { group, resource });
      capacity.set(storage.cache.capacity, { group, resource });
      objects.set(storage.cache.size, { group, resource });
      former.set(storage.cache.size, { resource: group === '' ? resource : `${resource}.${group}` });
    }
  }
}
