import { PrometheusMetrics } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../test-server.js';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

async function pageAfter(use: (server: Awaited<ReturnType<typeof startTestServer>>) => Promise<unknown>) {
  let cpuSeconds = 1;
  const server = await startTestServer({
    metrics: new PrometheusMetrics(),
    processStats: () => ({ cpuSeconds: cpuSeconds++, residentBytes: 1024, startTimeSeconds: 7, openFiles: 3 }),
  });
  await use(server);
  return (await server.call('GET', '/metrics')).body as string;
}

describe('OBS-01 /metrics', () => {
  test('counts requests by verb, resource and code', async () => {
    const page = await pageAfter(async ({ call }) => {
      await call('POST', '/api/v1/namespaces/default/configmaps', configMap);
      await call('POST', '/api/v1/namespaces/default/configmaps', configMap);
    });
    const created =
      'verb="POST",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="namespace"';
    expect(page).toContain(`apiserver_request_total{${created},component="apiserver",code="201"} 1`);
    expect(page).toContain(`apiserver_request_total{${created},component="apiserver",code="409"} 1`);
    for (const name of ['apiserver_request_duration_seconds', 'apiserver_request_sli_duration_seconds'])
      expect(page).toContain(`${name}_count{${created},component="apiserver"} 2`);
  });

  test('ETCD-08 tells what the store was asked, and how many objects it has', async () => {
    const page = await pageAfter(({ call }) => call('POST', '/api/v1/namespaces/default/configmaps', configMap));
    expect(page).toContain('etcd_requests_total{operation="create",type="configmaps"} 1');
    expect(page).toContain('etcd_request_duration_seconds_count{operation="create",type="configmaps"} 1');
    expect(page).toContain('apiserver_storage_objects{resource="configmaps"} 1');
  });

  test('WATCH-14 counts watches while they are open', async () => {
    const open =
      'apiserver_longrunning_requests{verb="WATCH",group="",version="v1",resource="configmaps",subresource=""';
    const during = await pageAfter(({ watch }) => watch('/api/v1/configmaps?watch=true'));
    expect(during).toContain(`${open},scope="cluster",component="apiserver"} 1`);
    const after = await pageAfter(async ({ watch }) => (await watch('/api/v1/configmaps?watch=true')).stop());
    expect(after).toContain(`${open},scope="cluster",component="apiserver"} 0`);
  });

  test('describes the process, its time as a counter', async () => {
    const page = await pageAfter(({ call }) => call('GET', '/metrics'));
    expect(page).toContain('process_resident_memory_bytes 1024');
    expect(page).toContain('process_open_fds 3');
    expect(page).toContain('# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 2\n');
    expect(page).toMatch(/kubernetes_build_info\{major="1",minor="36",/);
  });
});
