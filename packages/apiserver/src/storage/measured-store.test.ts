import { PrometheusMetrics, VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { expect, test } from 'vitest';
import { resourceOfKey } from '../registry/resource-of-key.js';
import { measuredStore } from './measured-store.js';

test('[ETCD-08] interleaved calls for several resources are counted for each resource', async () => {
  const clock = new VirtualClock();
  const metrics = new PrometheusMetrics();
  const resourceAt = (prefix: string) => resourceOfKey(`${prefix}name`);
  await using store = measuredStore(await createMemoryStore({ clock }), { clock, metrics, resourceAt });
  const keys = [
    '/registry/pods/default/a',
    '/registry/pods/default/b',
    '/registry/podtemplates/default/a',
    '/registry/services/specs/default/a',
    '/registry/services/endpoints/default/a',
    '/registry/pods/default/c',
    '/registry/masterleases/10.0.0.1',
  ];
  for (const key of keys) await store.get(key);
  await store.count('/registry/pods/');
  const lines = metrics.render().split('\n');
  const counted = lines.filter((line) => line.startsWith('etcd_requests_total{')).sort();
  expect(counted).toEqual(
    [
      'etcd_requests_total{operation="get",group="",resource="endpoints"} 1',
      'etcd_requests_total{operation="get",group="",resource="masterleases"} 1',
      'etcd_requests_total{operation="get",group="",resource="pods"} 3',
      'etcd_requests_total{operation="get",group="",resource="podtemplates"} 1',
      'etcd_requests_total{operation="get",group="",resource="services"} 1',
      'etcd_requests_total{operation="listWithCount",group="",resource="pods"} 1',
    ].sort(),
  );
});
