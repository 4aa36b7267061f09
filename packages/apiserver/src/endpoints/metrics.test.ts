import { forbidden, type Peer, unauthorized } from '@coracle/apimachinery';
import { PrometheusMetrics, VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

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
      'verb="POST",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="resource"';
    expect(page).toContain(`apiserver_request_total{${created},component="apiserver",code="201"} 1`);
    expect(page).toContain(`apiserver_request_total{${created},component="apiserver",code="409"} 1`);
    expect(page).toContain(`apiserver_request_duration_seconds_count{${created},component="apiserver"} 2`);
    const withoutDryRun = created.replace('dry_run="",', '');
    expect(page).toContain(`apiserver_request_sli_duration_seconds_count{${withoutDryRun},component="apiserver"} 2`);
  });

  test('ROUTE-12 has upstream’s labels for verbs', async () => {
    const page = await pageAfter(async ({ call }) => {
      const apply = { 'content-type': 'application/apply-patch+yaml' };
      await call('PATCH', '/api/v1/namespaces/default/configmaps/a?fieldManager=me', { ...configMap }, apply);
      await call('POST', '/api/v1/namespaces/default/pods/a/exec');
      await call('POST', '/nothing');
      await call('DELETE', '/api/v1/namespaces/default/configmaps?dryRun=All');
    });
    const where = (resource: string, subresource: string) =>
      `group="",version="v1",resource="${resource}",subresource="${subresource}"`;
    for (const [verb, labels] of [
      ['APPLY', `dry_run="",${where('configmaps', '')},scope="resource"`],
      ['CONNECT', `dry_run="",${where('pods', 'exec')},scope="resource"`],
      ['POST', 'dry_run="",group="",version="",resource="",subresource="",scope=""'],
      ['DELETECOLLECTION', `dry_run="All",${where('configmaps', '')},scope="namespace"`],
    ])
      expect(page).toContain(`apiserver_request_total{verb="${verb}",${labels},component="apiserver"`);
  });

  test('ETCD-08 reports requests to the store, and the number of objects', async () => {
    const secret = { metadata: { name: 'a' }, stringData: { k: 'v' } };
    const page = await pageAfter(({ call }) => call('POST', '/api/v1/namespaces/default/secrets', secret));
    expect(page).toContain('etcd_requests_total{operation="create",group="",resource="secrets"} 1');
    expect(page).toContain('etcd_request_duration_seconds_count{operation="create",group="",resource="secrets"} 1');
    expect(page).toContain('apiserver_storage_objects{resource="secrets"} 1');
  });

  test('ETCD-08 has resources whose key prefix differs from their name', async () => {
    const lease = { metadata: { name: 'a' }, spec: { holderIdentity: 'me', leaseDurationSeconds: 5 } };
    const page = await pageAfter(async ({ call }) => {
      await call('POST', '/api/v1/nodes', { metadata: { name: 'a' } });
      await call('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', lease);
    });
    expect(page).toContain('etcd_requests_total{operation="create",group="",resource="nodes"} 1');
    expect(page).toContain('etcd_requests_total{operation="create",group="coordination.k8s.io",resource="leases"} 1');
    expect(page).toContain('etcd_requests_total{operation="create",group="",resource="services"} 1');
  });

  test('FILTER-17 OBS-02 counts authentications by user, and the lifetimes of client certificates', async () => {
    const metrics = new PrometheusMetrics();
    const users = ['admin', 'jane@example.com', 'system:node:a'];
    const { server, clock } = await startTestServer({
      metrics,
      authenticators: () => [
        {
          name: 'test',
          authenticate: ({ peer }) => {
            if (!peer?.certificate) throw unauthorized();
            return { user: { name: peer.certificate.commonName, groups: [] } };
          },
        },
      ],
    });
    const ask = (peer: Peer) => server.exchange({ method: 'GET', path: '/api/v1/pods', query: '', headers: {}, peer });
    const expiresAt = clock.now() + 7_200_000;
    for (const commonName of users) await ask({ certificate: { commonName, organizations: [], expiresAt } });
    expect((await ask({})).status).toBe(401);
    const page = metrics.render();
    expect(page).toContain('authentication_attempts{result="success"} 3\n');
    expect(page).toContain('authentication_attempts{result="failure"} 1\n');
    for (const username of ['admin', 'email_id', 'other'])
      expect(page).toContain(`authenticated_user_requests{username="${username}"} 1\n`);
    expect(page).toContain('apiserver_client_certificate_expiration_seconds_bucket{le="3600"} 0\n');
    expect(page).toContain('apiserver_client_certificate_expiration_seconds_bucket{le="7200"} 3\n');
    expect(page).toContain('authorization_attempts_total{result="allowed"} 3\n');
  });

  test('ADM-17 reports the duration of plugins, and their rejections', async () => {
    const metrics = new PrometheusMetrics();
    const { call } = await startTestServer({
      metrics,
      admission: () => [
        { name: 'Shy', handles: ({ operation }) => operation === 'CREATE', mutate: () => {} },
        {
          name: 'Stern',
          handles: () => true,
          validate: ({ name }) => {
            if (name === 'bad') throw forbidden({ group: '', resource: 'configmaps' }, name, 'no');
          },
        },
      ],
    });
    await call('POST', '/api/v1/namespaces/default/configmaps', configMap);
    await call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'bad' } });
    const page = metrics.render();
    const count = (name: string, labels: string) =>
      `apiserver_admission_${name}_admission_duration_seconds_count{${labels}}`;
    for (const line of [
      `${count('controller', 'name="Shy",operation="CREATE",rejected="false",type="admit"')} 2`,
      `${count('controller', 'name="Stern",operation="CREATE",rejected="false",type="validate"')} 1`,
      `${count('controller', 'name="Stern",operation="CREATE",rejected="true",type="validate"')} 1`,
      `${count('step', 'operation="CREATE",rejected="true",type="validate"')} 1`,
      `${count('step', 'operation="CREATE",rejected="false",type="admit"')} 2`,
    ])
      expect(page).toContain(line);
  });

  test('reports the sizes of responses to reads, and requests of deprecated APIs', async () => {
    const page = await pageAfter(({ call }) => call('GET', '/api/v1/endpoints'));
    expect(page).toMatch(/apiserver_response_sizes_bucket\{verb="LIST",.*resource="endpoints".*le="1000"\} 1/);
    expect(page).toContain(
      'apiserver_requested_deprecated_apis{group="",version="v1",resource="endpoints",subresource="",removed_release=""} 1',
    );
  });

  test('SERVE-12 has a separate endpoint for the results of health checks', async () => {
    let isBroken = false;
    const check = () => {
      if (isBroken) throw new Error('broken');
    };
    const { call } = await startTestServer({ healthChecks: [{ name: 'sometimes', check }] });
    await call('GET', '/readyz');
    isBroken = true;
    await call('GET', '/readyz');
    const { body } = await call('GET', '/metrics/slis');
    expect(body).toContain('kubernetes_healthcheck{name="sometimes",type="readyz"} 0\n');
    expect(body).toContain('kubernetes_healthchecks_total{name="sometimes",status="success",type="readyz"} 1\n');
    expect(body).toContain('kubernetes_healthchecks_total{name="sometimes",status="error",type="readyz"} 1\n');
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

  test('reports the size of the store on disk', async () => {
    expect(await pageAfter(({ call }) => call('GET', '/metrics'))).not.toContain('apiserver_storage_size_bytes');
    const store = await createMemoryStore({ clock: new VirtualClock() });
    store.sizeBytes = async () => 4096;
    const { call } = await startTestServer({ metrics: new PrometheusMetrics(), store });
    const { body } = await call('GET', '/metrics');
    expect(body).toContain('apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 4096\n');
  });
});
