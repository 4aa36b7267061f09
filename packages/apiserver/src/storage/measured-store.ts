import type { GroupResource } from '@coracle/apimachinery';
import type { Clock, Counter, Histogram, MetricLabels, Metrics } from '@coracle/base';
import type { Store, Transaction } from '@coracle/store';
import { durationBuckets } from '../duration-buckets.js';

export interface MeasuredStoreOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** The resource of a prefix of keys, which ends in a slash. */
  resourceAt(prefix: string): GroupResource | undefined;
}

/** ETCD-08: latencies of the store by operation and resource, with upstream's names of etcd metrics. */
export function measuredStore(store: Store, options: MeasuredStoreOptions): Store {
  const { metrics } = options;
  const labels = ['operation', 'group', 'resource'];
  const calls: StoreCalls = new StoreCalls(options, {
    duration: metrics.histogram({
      name: 'etcd_request_duration_seconds',
      help: 'Latency of store requests in seconds, by operation and resource.',
      labels,
      buckets: durationBuckets,
    }),
    total: metrics.counter({ name: 'etcd_requests_total', help: 'Requests to the store.', labels }),
    errors: metrics.counter({ name: 'etcd_request_errors_total', help: 'Requests that the store failed.', labels }),
  });
  return {
    get: (key, options) => calls.measure('get', key, () => store.get(key, options)),
    list: (prefix, options) => calls.measure('list', prefix, () => store.list(prefix, options)),
    count: (prefix) => calls.measure('listWithCount', prefix, () => store.count(prefix)),
    transact: (transaction) => calls.measure(...describe(transaction), () => store.transact(transaction)),
    watch: (prefix, from, listener) => store.watch(prefix, from, listener),
    currentRevision: () => store.currentRevision(),
    grantLease: (ttlSeconds) => store.grantLease(ttlSeconds),
    revokeLease: (id) => store.revokeLease(id),
    compact: (revision) => store.compact(revision),
    ...(store.isStale && { isStale: (key: string) => store.isStale?.(key) ?? false }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function describe({ compare, operations }: Transaction): [operation: string, key: string] {
  const [first] = operations;
  if (!first) return ['get', compare[0]?.key ?? ''];
  if (first.kind === 'delete') return ['delete', first.key];
  return [compare[0]?.modRevision === 0 ? 'create' : 'update', first.key];
}

class StoreCalls {
  readonly #options: MeasuredStoreOptions;
  readonly #metrics: { readonly duration: Histogram; readonly total: Counter; readonly errors: Counter };
  /** By operation and prefix: few, and each created once. */
  readonly #labels = new Map<string, MetricLabels>();
  #last: { readonly operation: string; readonly prefix: string; readonly labels: MetricLabels } | undefined;

  constructor(options: MeasuredStoreOptions, metrics: { duration: Histogram; total: Counter; errors: Counter }) {
    this.#options = options;
    this.#metrics = metrics;
  }

  async measure<T>(operation: string, key: string, call: () => Promise<T>): Promise<T> {
    const labels = this.#labelsOf(operation, key);
    const begun = this.#options.clock.now();
    this.#metrics.total.add(1, labels);
    try {
      return await call();
    } catch (error) {
      this.#metrics.errors.add(1, labels);
      throw error;
    } finally {
      this.#metrics.duration.observe((this.#options.clock.now() - begun) / 1000, labels);
    }
  }

  /** Most calls are for the same resource as the call before. */
  #labelsOf(operation: string, key: string): MetricLabels {
    const last = this.#last;
    if (last && last.operation === operation && key.startsWith(last.prefix)) return last.labels;
    const prefix = prefixOf(key);
    const labels = this.#labelsBelow(prefix, operation);
    // Only a prefix that ends in a slash excludes other resources.
    if (prefix.endsWith('/')) this.#last = { operation, prefix, labels };
    return labels;
  }

  #labelsBelow(prefix: string, operation: string): MetricLabels {
    const name = `${operation} ${prefix}`;
    let labels = this.#labels.get(name);
    if (!labels) {
      // Keys that are not objects use the name of their directory: `masterleases`, `ranges`.
      const { group, resource } = this.#options.resourceAt(prefix) ?? { group: '', resource: lastSegment(prefix) };
      labels = { operation, group, resource };
      this.#labels.set(name, labels);
    }
    return labels;
  }
}

/** The prefix of all keys of a resource: `/registry/pods/`; two segments if the first is a group or shared. */
function prefixOf(key: string): string {
  const start = key.indexOf('/', 1) + 1;
  const end = key.indexOf('/', start);
  if (end < 0) return `${key}/`;
  const first = key.slice(start, end);
  if (!first.includes('.') && first !== 'services') return key.slice(0, end + 1);
  const second = key.indexOf('/', end + 1);
  return second < 0 ? key : key.slice(0, second + 1);
}

function lastSegment(prefix: string): string {
  return prefix.slice(prefix.lastIndexOf('/', prefix.length - 2) + 1, -1);
}
