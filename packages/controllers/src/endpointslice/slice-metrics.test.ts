import type { Service } from '@coracle/api';
import { PrometheusMetrics } from '@coracle/base';
import { expect, test } from 'vitest';
import { SliceMetrics } from './slice-metrics.js';
import { SyncMetrics } from './sync-metrics.js';

const lines = (metrics: PrometheusMetrics) =>
  metrics
    .render()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'));

test('slices are counted over all services, and not those of deleted services', () => {
  const metrics = new PrometheusMetrics();
  const counted = new SliceMetrics(metrics, 'x');
  counted.set('n/a', { endpoints: 150, slices: 3, fewest: 2 });
  counted.set('n/b', { endpoints: 10, slices: 1, fewest: 1 });
  counted.set('n/a', { endpoints: 50, slices: 2, fewest: 1 });
  counted.forget('n/b');
  counted.forget('n/never');
  counted.planned({ added: 3, updated: 2, removed: 1 });
  counted.changed('update');
  expect(lines(metrics)).toEqual(
    expect.arrayContaining([
      'x_endpoints_desired 50',
      'x_num_endpoint_slices 2',
      'x_desired_endpoint_slices 1',
      'x_endpoints_added_per_sync_sum 3',
      'x_endpoints_removed_per_sync_sum 1',
      'x_changes{operation="update"} 1',
    ]),
  );
});

test('services are counted by how they want their traffic spread', () => {
  const metrics = new PrometheusMetrics();
  const counted = new SyncMetrics(metrics, 'x');
  const service = (name: string, trafficDistribution?: string, annotations = {}): Service => ({
    metadata: { name, namespace: 'n', annotations },
    spec: { ...(trafficDistribution && { trafficDistribution }) },
  });
  counted.succeeded(service('a', 'PreferClose'), 2);
  counted.succeeded(service('b', 'PreferClose'), 0);
  counted.succeeded(service('c', 'Nonsense'), 1);
  counted.succeeded(service('d', 'PreferClose', { 'service.kubernetes.io/topology-mode': 'Auto' }), 1);
  counted.succeeded(service('b', 'PreferSameNode'), 1);
  counted.failed();
  expect(lines(metrics)).toEqual(
    expect.arrayContaining([
      'x_services_count_by_traffic_distribution{traffic_distribution="PreferClose"} 1',
      'x_services_count_by_traffic_distribution{traffic_distribution="PreferSameNode"} 1',
      'x_syncs{result="success"} 5',
      'x_syncs{result="error"} 1',
      'x_endpointslices_changed_per_sync_sum{topology="Auto",traffic_distribution=""} 1',
      'x_endpointslices_changed_per_sync_sum{topology="Disabled",traffic_distribution="PreferClose"} 2',
    ]),
  );
  counted.forget('n/b');
  expect(lines(metrics)).toContain('x_services_count_by_traffic_distribution{traffic_distribution="PreferSameNode"} 0');
});
