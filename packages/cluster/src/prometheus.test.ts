import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type autoscalingv2, refs } from '@coracle/api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPrometheus, readPrometheusRules } from './prometheus.js';
import { type Cluster, startCluster } from './start-cluster.js';

const rulesFile = `
rules:
- seriesQuery: 'http_requests_total{pod!=""}'
  resources:
    overrides:
      namespace: {resource: namespace}
      pod: {resource: pod}
  name: {matches: "^(.*)_total$", as: "\${1}_per_second"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)'
- seriesQuery: 'ingress_load'
  resources: {template: "k8s_<<.Group>>_<<.Resource>>"}
  metricsQuery: 'max(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
externalRules:
- seriesQuery: 'queue_length'
  resources: {namespaced: false}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'
`;

/** Answers as Prometheus does: `/api/v1/series` from the series, `/api/v1/query` from results by query. */
class FakePrometheus {
  readonly queries: string[] = [];
  authorization: string | undefined;
  readonly series: Record<string, object[]> = {
    'http_requests_total{pod!=""}': [{ __name__: 'http_requests_total', namespace: 'default', pod: 'web' }],
    ingress_load: [{ __name__: 'ingress_load', k8s_networking_k8s_io_ingress: 'site', k8s__namespace: 'default' }],
    queue_length: [{ __name__: 'queue_length', queue: 'jobs' }],
  };
  results: (query: string) => object[] = () => [];
  readonly #server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    this.authorization = request.headers.authorization;
    const [status, body] = this.#answer(pathname, searchParams);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/prometheus/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, parameters: URLSearchParams): [number, object] {
    if (path === '/prometheus/api/v1/series')
      return [200, { status: 'success', data: this.series[parameters.get('match[]') ?? ''] ?? [] }];
    if (path !== '/prometheus/api/v1/query') return [404, { status: 'error', error: 'no such path' }];
    const query = parameters.get('query') ?? '';
    this.queries.push(query);
    if (query.includes('bad')) return [400, { status: 'error', errorType: 'bad_data', error: 'parse error' }];
    return [200, { status: 'success', data: { resultType: 'vector', result: this.results(query) } }];
  }
}

let prometheus: FakePrometheus;
let url: string;
let directory: string;
let cluster: Cluster | undefined;
beforeEach(async () => {
  prometheus = new FakePrometheus();
  url = await prometheus.listen();
  directory = await mkdtemp(join(tmpdir(), 'coracle-prometheus-'));
});
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
  await prometheus.stop();
  await rm(directory, { recursive: true });
});

async function rules(text = rulesFile) {
  const file = join(directory, 'rules.yaml');
  await writeFile(file, text);
  return await readPrometheusRules(file);
}

async function start(nodes = 0): Promise<Cluster> {
  cluster = await startCluster({ listen: false, nodes, clock: 'virtual', prometheus: { url, rules: await rules() } });
  const { clock } = cluster;
  // The API server passes requests on once it has found the adapter to answer, which it does over a real socket.
  const answers = async () => {
    await clock.advance('1s');
    const groups = [
      'custom.metrics.k8s.io/v1beta1',
      'custom.metrics.k8s.io/v1beta2',
      'external.metrics.k8s.io/v1beta1',
    ];
    return await Promise.all(groups.map(async (group) => (await get(group))[0]));
  };
  await expect.poll(answers, { timeout: 30_000, interval: 50 }).toEqual([200, 200, 200]);
  return cluster;
}

/** `[status, body]` of a GET. */
async function get(path: string): Promise<[number, Record<string, unknown>]> {
  const { status, body } = await (cluster as Cluster).client.raw('GET', `/apis/${path}`);
  return [status, body as Record<string, unknown>];
}

const podNamed = (name: string, app: string) => ({
  metadata: { name, labels: { app } },
  spec: { containers: [{ name: 'app', image: 'app' }] },
});

describe('metrics from Prometheus', { timeout: 90_000 }, () => {
  test('are listed', async () => {
    await start();
    const names = async (path: string) =>
      ((await get(path))[1]['resources'] as { name: string; namespaced: boolean }[]).map(
        ({ name, namespaced }) => `${name} ${namespaced}`,
      );
    expect(await names('custom.metrics.k8s.io/v1beta2')).toEqual([
      'ingresses.networking.k8s.io/ingress_load true',
      'namespaces/http_requests_per_second false',
      'namespaces/ingress_load false',
      'pods/http_requests_per_second true',
    ]);
    expect(await names('external.metrics.k8s.io/v1beta1')).toEqual(['queue_length true']);
  });

  test('of the pods that labels select', async () => {
    const { client } = await start();
    for (const [name, app] of [
      ['web-1', 'web'],
      ['web-2', 'web'],
      ['db', 'db'],
    ] as const)
      await client.pods('default').create(podNamed(name, app));
    prometheus.results = () => [
      { metric: { pod: 'web-1' }, value: [1, '0.5'] },
      { metric: { pod: 'web-2' }, value: [1, '2'] },
      { metric: { pod: 'other' }, value: [1, '7'] },
    ];
    const path = 'custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/http_requests_per_second';
    const [status, body] = await get(`${path}?labelSelector=app%3Dweb&metricLabelSelector=verb%3DGET`);
    expect([status, prometheus.queries]).toEqual([
      200,
      ['sum(rate(http_requests_total{namespace="default",pod=~"web-1|web-2",verb="GET"}[2m])) by (pod)'],
    ]);
    expect(body).toMatchObject({
      kind: 'MetricValueList',
      items: [
        {
          describedObject: { kind: 'Pod', namespace: 'default', name: 'web-1', apiVersion: 'v1' },
          metric: { name: 'http_requests_per_second' },
          value: '500m',
        },
        { describedObject: { name: 'web-2' }, value: '2' },
      ],
    });
  });

  test('of a namespace, of an object of a group, from outside', async () => {
    await start();
    prometheus.results = () => [{ metric: {}, value: [1, '3'] }];
    const queries = [
      'custom.metrics.k8s.io/v1beta1/namespaces/default/metrics/http_requests_per_second',
      'custom.metrics.k8s.io/v1beta1/namespaces/default/ingresses.networking.k8s.io/site/ingress_load',
      'external.metrics.k8s.io/v1beta1/namespaces/default/queue_length?labelSelector=queue%3Djobs',
    ];
    for (const path of queries) expect(await get(path)).toMatchObject([200, { items: [{ value: '3' }] }]);
    expect(prometheus.queries).toEqual([
      'sum(rate(http_requests_total{namespace="default"}[2m])) by (namespace)',
      'max(ingress_load{k8s__namespace="default",k8s_networking_k8s_io_ingress="site"}) by (k8s_networking_k8s_io_ingress)',
      'sum(queue_length{queue="jobs"}) by (queue)',
    ]);
  });

  test('that there are not, and a query that Prometheus refuses', async () => {
    await start();
    const pods = 'custom.metrics.k8s.io/v1beta2/namespaces/default/pods';
    expect(await get(`${pods}/web/unheard_of`)).toMatchObject([404, { reason: 'NotFound' }]);
    expect(await get(`${pods}/web/http_requests_per_second`)).toMatchObject([404, { reason: 'NotFound' }]);
    expect(await get(`${pods}/bad/http_requests_per_second`)).toMatchObject([
      503,
      { message: 'Prometheus refuses /api/v1/query: parse error' },
    ]);
  });

  const each = { type: 'AverageValue', averageValue: '10' };
  const site = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'site' };
  test.each<[string, autoscalingv2.MetricSpec, object]>([
    [
      'from outside',
      { type: 'External', external: { metric: { name: 'queue_length' }, target: each } },
      { type: 'External', external: { metric: { name: 'queue_length' } } },
    ],
    [
      'of an object, shared by the pods',
      { type: 'Object', object: { metric: { name: 'ingress_load' }, describedObject: site, target: each } },
      { type: 'Object', object: { metric: { name: 'ingress_load' }, describedObject: { kind: '', name: '' } } },
    ],
  ])('%s scale a deployment', async (_name, metric, current) => {
    const { client, clock } = await start(1);
    prometheus.results = (query) =>
      /^(sum\(queue_length|max\(ingress_load)/.test(query) ? [{ metric: {}, value: [1, '30'] }] : [];
    const labels = { app: 'worker' };
    await client.resource(refs.deployments, 'default').create({
      metadata: { name: 'worker' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app' }] } },
      },
    });
    await client.resource(refs.horizontalPodAutoscalers, 'default').create({
      metadata: { name: 'worker' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker' },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [metric],
      },
    } as autoscalingv2.HorizontalPodAutoscaler);
    // The adapter is called over a real socket, for which the virtual clock does not wait.
    await expect
      .poll(
        async () => {
          await clock.advance('15s');
          return (await client.resource(refs.deployments, 'default').get('worker')).spec?.replicas;
        },
        { timeout: 30_000, interval: 50 },
      )
      .toBe(3);
    const { status } = await client.resource(refs.horizontalPodAutoscalers, 'default').get('worker');
    expect(status?.currentMetrics).toMatchObject([current]);
  });
});

test('a rules file that cannot be read is named', async () => {
  await expect(rules('rules: [{}]')).rejects.toThrow(/rules\.yaml: rules\[0\]\.metricsQuery: is required/);
});

test('the user of the URL is sent along', async () => {
  using client = openPrometheus(url.replace('http://', 'http://me:secret@'));
  const answer = await client.source('/api/v1/series', new URLSearchParams({ 'match[]': 'queue_length' }));
  expect(answer).toMatchObject({ status: 'success' });
  expect(prometheus.authorization).toBe(`Basic ${btoa('me:secret')}`);
});
