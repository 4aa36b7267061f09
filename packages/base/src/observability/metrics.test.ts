import { expect, test } from 'vitest';
import { noMetrics } from './metrics.js';

test('metrics that go nowhere take every call', () => {
  const options = { name: 'a', help: 'b' };
  expect(() => {
    noMetrics.counter(options).add(1, { verb: 'GET' });
    noMetrics.gauge(options).set(1);
    noMetrics.gauge(options).add(-1);
    noMetrics.histogram({ ...options, buckets: [1, 2] }).observe(0.5);
  }).not.toThrow();
});
