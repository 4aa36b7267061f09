import type { ApiRequest, ApiResponse, StatusError } from '@coracle/apimachinery';
import { DisposableStack, PrometheusMetrics, type VirtualClock } from '@coracle/base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { componentPages } from './component-pages.js';
import { runControllerManager, runScheduler } from './components.js';
import { controlPlaneGround, startOn } from './control-plane.fixture.js';
import type { ControlPlane } from './control-plane.js';
import { delegatedAccess } from './delegated-access.js';

const admin = { certificate: { commonName: 'kubernetes-admin', organizations: ['system:masters'] } };

let parts: DisposableStack;
let controlPlane: ControlPlane;
let clock: VirtualClock;
let losses = 0;
/** A manager that behaves as in a separate process. */
let ask: (path: string, more?: Partial<ApiRequest>) => Promise<{ status: number; text: string; type?: string }>;

beforeEach(async () => {
  parts = new DisposableStack();
  const ground = await controlPlaneGround();
  const { random, logger, tracer, activity } = ground;
  clock = ground.clock;
  const shared = { clock, random, logger, tracer, activity };
  const components = { controllers: false, scheduler: false };
  controlPlane = parts.use(await startOn(ground, { metrics: new PrometheusMetrics(), components }));
  const metrics = new PrometheusMetrics();
  const { clientFor } = controlPlane;
  const component = parts.use(
    runControllerManager({
      ...shared,
      metrics,
      clientFor,
      caCertificate: '',
      leaderElection: { identity: 'me', onLost: () => void losses++ },
      enabled: ['*', '-job'],
    }),
  );
  const client = clientFor('system:kube-controller-manager');
  const access = delegatedAccess({ client, clock, alwaysAllowed: ['/healthz'] });
  const about = { ...shared, component: 'kube-controller-manager', startedAt: () => 0, flags: { v: '2' } };
  const pages = componentPages({ component, metrics, access, config: { 'example.com': { port: 1 } }, about });
  ask = async (path, more = {}) => {
    const [head = '', query = ''] = path.split('?');
    const request = { method: 'GET', path: head, query, headers: {}, ...more };
    return read(await pages(request).catch((error: StatusError) => refusal(error)));
  };
  await clock.settle();
});
afterEach(() => parts[Symbol.asyncDispose]());

function refusal({ status }: StatusError): ApiResponse {
  const chunks = [new TextEncoder().encode(status.message)];
  return { status: status.code ?? 500, headers: {}, body: { kind: 'bytes', chunks } };
}

function read({ status, headers, body }: ApiResponse) {
  const text = body.kind === 'bytes' ? body.chunks.map((chunk) => new TextDecoder().decode(chunk)).join('') : '';
  return { status, text, type: String(headers['content-type'] ?? '') };
}

describe('the pages of a controller manager', () => {
  test('KCM-15 health needs no authorization', async () => {
    expect(await ask('/healthz')).toMatchObject({ status: 200, text: 'ok' });
    const { text } = await ask('/healthz?verbose');
    expect(text.split('\n').slice(0, 3)).toEqual(['[+]leaderElection ok', '[+]ping ok', '[+]replicaset-controller ok']);
    expect(text.trim().split('\n').at(-1)).toBe('healthz check passed');
    expect(text).not.toMatch(/^\[\+\]job-controller/m);
  });

  test('KCM-15 other paths require authorization by the API server', async () => {
    expect(await ask('/metrics')).toMatchObject({
      status: 403,
      text: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
    });
    expect(await ask('/metrics', { headers: { authorization: 'Bearer nonsense' } })).toMatchObject({ status: 401 });
    const accounts = controlPlane.client.serviceAccounts('default');
    await accounts.create({ metadata: { name: 'scraper' } });
    await controlPlane.client.clusterRoleBindings().create({
      metadata: { name: 'scraper' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:monitoring' },
      subjects: [{ kind: 'ServiceAccount', name: 'scraper', namespace: 'default' }],
    });
    const { status } = (await accounts.createSubresource('scraper', 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })) as { readonly status?: { readonly token?: string } };
    const headers = { authorization: `Bearer ${status?.token}` };
    expect(await ask('/metrics', { headers })).toMatchObject({ status: 200 });
    expect(await ask('/configz', { headers })).toMatchObject({ status: 403 });
  });

  test('KCM-18 metrics have the names that kube-controller-manager has', async () => {
    const { text, type } = await ask('/metrics', { peer: admin });
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain('leader_election_master_status{name="kube-controller-manager"} 1');
    expect(text).toMatch(/workqueue_adds_total\{name="serviceaccount"\} \d/);
    expect(text).toMatch(/workqueue_depth\{name="serviceaccount"\} 0/);
    expect(text).toContain('root_ca_cert_publisher_sync_total{code="200"}');
    expect(text).toContain('node_collector_update_all_nodes_health_duration_seconds_count');
    expect(text).toContain('garbagecollector_controller_resources_sync_error_total');
  });

  test('KCM-18 metrics report the build and feature gates, as those of the API server do', async () => {
    const { text } = await ask('/metrics', { peer: admin });
    expect(text).toMatch(/^kubernetes_build_info\{major="1",minor="36",git_version="v1\.36/m);
    expect(text).toContain('kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 0\n');
  });

  test('KCM-25 it holds a lease as leader, and reports it in an event', async () => {
    const lease = await controlPlane.client.leases('kube-system').get('kube-controller-manager');
    expect(lease.spec).toMatchObject({ holderIdentity: 'me', leaseDurationSeconds: 15, leaseTransitions: 0 });
    const { items } = await controlPlane.client.events('kube-system').list();
    expect(items.map(({ reason, message, involvedObject }) => [involvedObject.kind, reason, message])).toEqual([
      ['Lease', 'LeaderElection', 'me became leader'],
    ]);
  });

  test('KCM-23 it ends its controllers and reports when another has taken the lease', async () => {
    const leases = controlPlane.client.leases('kube-system');
    const name = 'kube-controller-manager';
    losses = 0;
    for (let seconds = 0; seconds < 14; seconds += 2) {
      await leases.patch(name, { spec: { holderIdentity: 'other', leaseDurationSeconds: 60 } }, { type: 'merge' });
      await clock.advance(2_000);
    }
    expect(losses).toBe(1);
    const { text } = await ask('/healthz?verbose');
    expect(text).not.toContain('replicaset-controller');
    expect((await ask('/metrics', { peer: admin })).text).toContain(
      'leader_election_master_status{name="kube-controller-manager"} 0',
    );
  });

  test('KCM-15 it has a separate page for the results of the checks', async () => {
    await ask('/healthz');
    await ask('/readyz?exclude=ping');
    await ask('/livez/ping', { peer: admin });
    const { text } = await ask('/metrics/slis', { peer: admin });
    expect(text).toContain('kubernetes_healthcheck{name="leaderElection",type="readyz"} 1\n');
    expect(text).toContain('kubernetes_healthchecks_total{name="ping",status="success",type="healthz"} 1\n');
    expect(text).toContain('kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1\n');
    expect(text).not.toContain('name="ping",status="success",type="readyz"');
    expect((await ask('/metrics/slis')).status).toBe(403);
  });

  test('it reports its start time and its flags', async () => {
    const { text } = await ask('/statusz', { peer: admin });
    expect(text).toContain('\nkube-controller-manager statusz\nWarning: ');
    expect(text).toMatch(/^Paths.* \/configz \/flagz \/healthz \/livez \/metrics \/readyz$/m);
    expect((await ask('/flagz', { peer: admin })).text).toMatch(/^v.{1,2}2$/m);
    expect((await ask('/flagz')).status).toBe(403);
  });

  test('KCM-17 its configuration can be read', async () => {
    expect((await ask('/configz', { peer: admin })).text).toBe('{"example.com":{"port":1}}');
  });

  test.each(['garbagecollector', 'garbage-collector-controller'])('GC-8 KCM-32 %s shows its graph', async (name) => {
    const configMaps = controlPlane.client.configMaps('default');
    const owner = await configMaps.create({ metadata: { name: 'owner' } });
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' };
    await configMaps.create({ metadata: { name: 'owned', ownerReferences: [reference] } });
    await clock.settle();
    const shown = await ask(`/debug/controllers/${name}/graph?uid=${owner.metadata.uid}`, { peer: admin });
    expect(shown).toMatchObject({ status: 200, type: 'text/vnd.graphviz' });
    expect(shown.text).toContain('name="owned"');
    expect(await ask(`/debug/controllers/${name}/nothing`, { peer: admin })).toMatchObject({ status: 404 });
    expect(await ask('/debug/controllers/job/graph', { peer: admin })).toMatchObject({ status: 404 });
  });
});

test('the scheduler shows the resources of pods while it leads, the controller manager does not', async () => {
  const ground = await controlPlaneGround();
  await using own = new DisposableStack();
  const plane = own.use(await startOn(ground, { components: { controllers: false, scheduler: false } }));
  const { clientFor } = plane;
  const metrics = new PrometheusMetrics();
  const scheduler = own.use(runScheduler({ ...ground, metrics, clientFor, leaderElection: { identity: 'me' } }));
  const access = delegatedAccess({
    client: clientFor('system:kube-scheduler'),
    clock: ground.clock,
    alwaysAllowed: [],
  });
  const about = { ...ground, component: 'kube-scheduler', startedAt: () => 0, flags: {} };
  const pages = componentPages({ component: scheduler, metrics, access, config: {}, about });
  const show = (path: string) =>
    pages({ method: 'GET', path, query: '', headers: {}, peer: admin }).then((answer) => read(answer).text);
  await ground.clock.settle();
  await plane.client.serviceAccounts('default').create({ metadata: { name: 'default' } });
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }];
  await plane.client.pods('default').create({ metadata: { name: 'web' }, spec: { containers } });
  await ground.clock.settle();
  expect(await show('/metrics/resources')).toMatch(/^kube_pod_resource_request{.*pod="web".*resource="cpu".*} 2$/m);
  expect(await show('/statusz')).toContain('/metrics');
  await scheduler[Symbol.asyncDispose]();
  expect(await show('/metrics/resources')).not.toContain('pod="web"');
  expect(await ask('/metrics/resources', { peer: admin })).toMatchObject({ status: 404 });
});
