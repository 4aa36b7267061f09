import type { Clock, Counter, Histogram, MetricLabels, Metrics } from '@coracle/base';
import type { Store, Transaction } from '@coracle/store';
import { durationBuckets } from '../filters/count-requests.js';

/** ETCD-08: how long the store takes for what, under the names that dashboards know from etcd. */
export function measuredStore(store: Store, { clock, metrics }: { clock: Clock; metrics: Metrics }): Store {
  const labels = ['operation', 'type'];
  const calls: StoreCalls = new StoreCalls(clock, {
    duration: metrics.histogram({
      name: 'etcd_request_duration_seconds',
      help: 'Time that the store takes, by operation and type.',
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
  readonly #clock: Clock;
  readonly #metrics: { readonly duration: Histogram; readonly total: Counter; readonly errors: Counter };
  /** By operation and type: few, and each made once. */
  readonly #labels = new Map<string, MetricLabels>();

  constructor(clock: Clock, metrics: { duration: Histogram; total: Counter; errors: Counter }) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  async measure<T>(operation: string, key: string, call: () => Promise<T>): Promise<T> {
    const labels = this.#labelsOf(operation, key);
    const begun = this.#clock.now();
    this.#metrics.total.add(1, labels);
    try {
      return await call();
    } catch (error) {
      this.#metrics.errors.add(1, labels);
      throw error;
    } finally {
      this.#metrics.duration.observe((this.#clock.now() - begun) / 1000, labels);
    }
  }

  #labelsOf(operation: string, key: string): MetricLabels {
    const type = typeOf(key);
    const name = `${operation} ${type}`;
    let labels = this.#labels.get(name);
    if (!labels) {
      labels = { operation, type };
      this.#labels.set(name, labels);
    }
    return labels;
  }
}

/** The first segment below the root, or the first two where that is a group: `/registry/pods/…`, `/registry/apps.example/…`. */
function typeOf(key: string): string {
  const start = key.indexOf('/', 1) + 1;
  const end = key.indexOf('/', start);
  if (end < 0) return key.slice(start);
  const first = key.slice(start, end);
  if (!first.includes('.')) return first;
  const second = key.indexOf('/', end + 1);
  return second < 0 ? first : `${key.slice(end + 1, second)}.${first}`;
}
