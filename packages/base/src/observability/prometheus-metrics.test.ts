import { expect, test } from 'vitest';
import { PrometheusMetrics } from './prometheus-metrics.js';

test('metrics are printed in the text format of Prometheus, sorted by name', () => {
  const metrics = new PrometheusMetrics();
  const requests = metrics.counter({ name: 'requests_total', help: 'Requests.', labels: ['verb'] });
  requests.add(1, { verb: 'GET' });
  requests.add(2, { verb: 'GET' });
  metrics.gauge({ name: 'open', help: 'Open.\nNow.' }).set(3);
  const seconds = metrics.histogram({ name: 'seconds', help: 'Time.', buckets: [0.1, 1] });
  for (const value of [0.05, 0.5, 5]) seconds.observe(value);
  expect(metrics.render()).toBe(`# HELP open Open.\\nNow.
# TYPE open gauge
open 3
# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{verb="GET"} 3
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 1
seconds_bucket{le="1"} 2
seconds_bucket{le="+Inf"} 3
seconds_sum 5.55
seconds_count 3
`);
});

test('one name is one metric of one type', () => {
  const metrics = new PrometheusMetrics();
  const first = metrics.counter({ name: 'a', help: '' });
  expect(metrics.counter({ name: 'a', help: '' })).toBe(first);
  expect(() => metrics.gauge({ name: 'a', help: '' })).toThrow('metric a is a counter, not a gauge');
});

test('label values cannot break out of their quotes', () => {
  const metrics = new PrometheusMetrics();
  metrics.counter({ name: 'a', help: '', labels: ['x'] }).add(1, { x: 'q"\\\n' });
  expect(metrics.render()).toContain('a{x="q\\"\\\\\\n"} 1');
});

test('counters and histograms begin again when they are reset, gauges stay', () => {
  const metrics = new PrometheusMetrics();
  const labels = { verb: 'GET' };
  const requests = metrics.counter({ name: 'requests', help: 'x', labels: ['verb'] });
  requests.add(2, labels);
  metrics.gauge({ name: 'open', help: 'x' }).set(3);
  metrics.histogram({ name: 'time', help: 'x', buckets: [1] }).observe(0.5);
  metrics.reset();
  requests.add(1, labels);
  const page = metrics.render();
  expect(page).toContain('requests{verb="GET"} 1\n');
  expect(page).toContain('open 3\n');
  expect(page).not.toContain('time_count');
});
