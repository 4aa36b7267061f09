/**
 * Seconds: the buckets of the histograms of request and store latencies, equal to those of kube-apiserver, for its
 * dashboards.
 */
export const durationBuckets: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
