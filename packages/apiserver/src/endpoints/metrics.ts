import type { PrometheusMetrics } from '@coracle/base';
import type { ResourceTable } from '../registry/resource-table.js';
import { versionInfo } from './version.js';

/** What the process uses, under the names that every Prometheus client gives it. */
export interface ProcessStats {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly startTimeSeconds: number;
  /** Absent where they cannot be counted. */
  readonly openFiles?: number;
}

export interface MetricsSource {
  readonly metrics: PrometheusMetrics;
  readonly resources: ResourceTable;
  readonly processStats?: (() => ProcessStats) | undefined;
  /** Brings the metrics up to date. */
  readonly settle?: (() => void) | undefined;
  /** What the store takes on disk, if it keeps anything there. */
  readonly storeSize?: (() => Promise<number | undefined>) | undefined;
}

/** The text of `/metrics`. Metrics that are not counted as they happen are computed on request. */
export class MetricsPage {
  readonly #source: MetricsSource;
  #cpuSeconds = 0;
  #storeBytes: number | undefined;

  constructor(source: MetricsSource) {
    this.#source = source;
    const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = versionInfo;
    const build = {
      major,
      minor,
      git_version: gitVersion,
      git_commit: gitCommit,
      git_tree_state: gitTreeState,
      build_date: buildDate,
      go_version: goVersion,
      compiler,
      platform,
    };
    const options = { name: 'kubernetes_build_info', help: 'What is running.', labels: Object.keys(build) };
    source.metrics.gauge(options).set(1, build);
    this.#measureStore();
  }

  render(): string {
    const { metrics, processStats, settle } = this.#source;
    settle?.();
    this.#measureStore();
    this.#countObjects();
    if (processStats) this.#describeProcess(processStats());
    return metrics.render();
  }

  /** Resets the counters. */
  reset(): void {
    this.#source.settle?.();
    this.#source.metrics.reset();
    this.#cpuSeconds = 0;
  }

  /**
   * Shows the last response of the store, and sends a new request: a store that does not answer must not block the other metrics.
   */
  #measureStore(): void {
    const { metrics, storeSize } = this.#source;
    if (this.#storeBytes !== undefined) {
      const size = metrics.gauge({
        name: 'apiserver_storage_size_bytes',
        help: 'What the store takes on disk.',
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
    // The name before v1.34, which many dashboards still request.
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

  #describeProcess({ residentBytes, startTimeSeconds, openFiles, cpuSeconds }: ProcessStats): void {
    const { metrics } = this.#source;
    const set = (name: string, help: string, value: number) => metrics.gauge({ name, help }).set(value);
    set('process_resident_memory_bytes', 'Memory that the process holds.', residentBytes);
    set('process_start_time_seconds', 'When it started, since the epoch.', startTimeSeconds);
    if (openFiles !== undefined) set('process_open_fds', 'Files and sockets that it has open.', openFiles);
    const cpu = metrics.counter({ name: 'process_cpu_seconds_total', help: 'Time that it has computed.' });
    cpu.add(cpuSeconds - this.#cpuSeconds);
    this.#cpuSeconds = cpuSeconds;
  }
}
