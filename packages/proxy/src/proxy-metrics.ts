import type { Metrics } from '@coracle/base';

const buckets = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 4, 8, 16];

interface Round {
  readonly seconds: number;
  readonly changes: number;
  readonly whole: boolean;
  /** In seconds since 1970. */
  readonly at: number;
}

/** The metrics of a service proxy, with kube-proxy's names. */
export function proxyMetrics(metrics: Metrics) {
  const full = metrics.histogram({
    name: 'kubeproxy_sync_full_proxy_rules_duration_seconds',
    help: 'Time to write the whole table.',
    buckets,
  });
  const partial = metrics.histogram({
    name: 'kubeproxy_sync_partial_proxy_rules_duration_seconds',
    help: 'Duration of a write of changed rules, in seconds.',
    buckets,
  });
  const all = metrics.histogram({
    name: 'kubeproxy_sync_proxy_rules_duration_seconds',
    help: 'Time of one round of writing rules.',
    buckets,
  });
  const programming = metrics.histogram({
    name: 'kubeproxy_network_programming_duration_seconds',
    help: 'Time from the observation of a change until its rules are in the kernel.',
    buckets,
  });
  const changes = metrics.counter({
    name: 'kubeproxy_sync_proxy_rules_service_changes_total',
    help: 'Services that were looked at again.',
  });
  const last = metrics.gauge({
    name: 'kubeproxy_sync_proxy_rules_last_timestamp_seconds',
    help: 'When rules were last written, in seconds since 1970.',
  });
  const failures = metrics.counter({
    name: 'kubeproxy_sync_proxy_rules_nftables_sync_failures_total',
    help: 'Rounds of writing rules that failed.',
  });
  return {
    failures,
    observe({ seconds, changes: count, whole, at }: Round): void {
      all.observe(seconds);
      (whole ? full : partial).observe(seconds);
      changes.add(count);
      last.set(at);
    },
    programmed: (seconds: number) => programming.observe(seconds),
  };
}
