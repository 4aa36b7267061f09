import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { type Client, waitForObject } from '@coracle/client';
import { ownCertificates, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf } from '../client-of.js';
import { RunningCluster } from '../running-cluster.js';

const slow = 600_000;
const custom = 'custom.metrics.k8s.io/v1beta2';
const external = 'external.metrics.k8s.io/v1beta1';

const groupVersions = [custom, external];

/** As in a metrics adapter: `pods/*` has a value for each pod, an object a value of its own, and external series. */
const values = { perPod: 5, ofService: 0, queues: [10, 20] };

const names: Readonly<Record<string, readonly string[]>> = {
  [custom]: ['pods/requests_per_second', 'services/hits'],
  [external]: ['queue_length'],
};

function resourceList(groupVersion: string): object {
  const resources = (names[groupVersion] ?? []).map((name) => ({
    name,
    singularName: '',
    namespaced: true,
    kind: groupVersion === custom ? 'MetricValueList' : 'ExternalMetricValueList',
    verbs: ['get'],
  }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function metricList(apiVersion: string, items: readonly object[]): object {
  const timestamp = new Date().toISOString();
  return { kind: 'MetricValueList', apiVersion, metadata: {}, items: items.map((item) => ({ timestamp, ...item })) };
}

/** The adapter's response to a path; `undefined` for an unknown one. */
function answerTo(path: string, pods: readonly string[]): object | undefined {
  const at = (rest: string) => `/apis/${rest}`;
  if (path === at(custom) || path === at(external)) return resourceList(path.slice('/apis/'.length));
  const place = `${custom}/namespaces/metrics`;
  if (decodeURIComponent(path) === at(`${place}/pods/*/requests_per_second`))
    return metricList(
      custom,
      pods.map((name) => ({
        describedObject: { kind: 'Pod', namespace: 'metrics', name, apiVersion: '/v1' },
        metric: { name: 'requests_per_second' },
        value: String(values.perPod),
      })),
    );
  if (path === at(`${place}/services/web/hits`))
    return metricList(custom, [
      {
        describedObject: { kind: 'Service', namespace: 'metrics', name: 'web', apiVersion: '/v1' },
        metric: { name: 'hits' },
        value: String(values.ofService),
      },
    ]);
  if (path === at(`${external}/namespaces/metrics/queue_length`))
    return metricList(
      external,
      values.queues.map((value, index) => ({
        metricName: 'queue_length',
        metricLabels: { queue: `q${index}` },
        value: String(value),
      })),
    );
  return undefined;
}

const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 6,
    behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    metrics: [
      { type: 'Pods', pods: { metric: { name: 'requests_per_second' }, target: averageOf('10') } },
      {
        type: 'Object',
        object: {
          metric: { name: 'hits' },
          describedObject: { apiVersion: 'v1', kind: 'Service', name: 'web' },
          target: averageOf('100'),
        },
      },
      { type: 'External', external: { metric: { name: 'queue_length' }, target: averageOf('10') } },
    ],
  },
};

function averageOf(averageValue: string): object {
  return { type: 'AverageValue', averageValue };
}

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
    },
  },
};

function apiService(groupVersion: string, port: number, caBundle: string): object {
  const [group = '', version = ''] = groupVersion.split('/');
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { namespace: 'metrics', name: 'adapter', port },
      caBundle,
    },
  };
}

describe('autoscaling by a metrics adapter over TLS', () => {
  let cluster: RunningCluster;
  let adapter: Server;
  let client: Client;
  let connection: AsyncDisposable;
  let pods: readonly string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'coracle-metrics-adapter-'));

  async function create(...objects: readonly (readonly [ResourceRef<KubeObject>, object])[]): Promise<void> {
    for (const [ref, object] of objects) {
      const namespace = ref.namespaced ? 'metrics' : undefined;
      await client.resource(ref, namespace).create(object as KubeObject);
    }
  }

  beforeAll(async () => {
    cluster = await RunningCluster.start({
      flags: ['--nodes', '1', '--store', 'memory', '--horizontal-pod-autoscaler-sync-period', '1s'],
    });
    const opened = await clientOf(cluster.kubeconfig);
    connection = opened;
    client = opened.client;
    await client.namespaces().create({ metadata: { name: 'metrics' } });
    const certificates = ownCertificates({ folder, clock: systemClock, dnsNames: ['adapter.metrics.svc'] });
    const { certificate, key } = await certificates.current();
    adapter = createServer({ cert: certificate, key }, ({ url = '' }, response) => {
      const found = answerTo(url.split('?')[0] ?? '', pods);
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found ?? {}));
    });
    await new Promise<void>((resolve) => adapter.listen(0, '127.0.0.1', resolve));
    const { port } = adapter.address() as AddressInfo;
    const caBundle = btoa(await certificates.authority());
    const external = { metadata: { name: 'adapter' }, spec: { type: 'ExternalName', externalName: 'localhost' } };
    await create(
      [refs.services, external],
      [refs.services, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } }],
      [refs.deployments, deployment],
      ...groupVersions.map((one) => [refs.apiServices, apiService(one, port, caBundle)] as const),
    );
    for (const groupVersion of groupVersions)
      await waitForObject({
        ...waiting(client),
        ref: refs.apiServices,
        name: groupVersion.split('/').reverse().join('.'),
        until: (service) => service?.status?.conditions?.some(({ status }) => status === 'True') ?? false,
      });
  }, slow);
  afterAll(async () => {
    adapter?.closeAllConnections();
    adapter?.close();
    await connection?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function untilReplicas(count: number): Promise<void> {
    await waitForObject({
      ...waiting(client),
      ref: refs.deployments,
      namespace: 'metrics',
      name: 'web',
      until: (found) => found?.spec?.replicas === count && found.status?.readyReplicas === count,
    });
    pods = (await client.pods('metrics').list()).items.map(({ metadata }) => metadata.name ?? '');
  }

  test(
    'the largest of pods, object and external metrics decides, up and down',
    async () => {
      await untilReplicas(1);
      await create([refs.horizontalPodAutoscalers, autoscaler]);
      // The queues: 30 in all, 10 a pod.
      await untilReplicas(3);
      // The object: 500, 100 a pod.
      values.ofService = 500;
      await untilReplicas(5);
      // The pods: 12 each, which is a fifth more than 10.
      values.perPod = 12;
      await untilReplicas(6);
      Object.assign(values, { perPod: 1, ofService: 0, queues: [10, 5] });
      await untilReplicas(2);
      const { status } = await client.resource(refs.horizontalPodAutoscalers, 'metrics').get('web');
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'ScalingActive', status: 'True' }));
    },
    slow,
  );
});

function waiting(client: Client) {
  return { client, clock: systemClock, timeoutMs: 100_000 };
}
