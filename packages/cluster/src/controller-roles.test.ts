import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './start-cluster.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 2,
    runtimeConfig: { 'api/all': true },
    nodeIpam: { ranges: [{ cidr: '10.244.0.0/16', maskSize: 24 }] },
    loadBalancer: { pool: ['192.0.2.0/28'] },
  });
}, 120_000);
afterAll(() => cluster?.stop());

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const pod = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '10m' } } }] };
const template = { metadata: { labels }, spec: pod };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
const job = { template: { spec: { ...pod, restartPolicy: 'Never' } } };

/** One object of each kind that a controller handles, so that all of them have work. */
const objects: readonly [ResourceRef<KubeObject>, string, object][] = [
  [refs.deployments, 'web', { spec: { replicas: 3, selector, template } }],
  [refs.replicaSets, 'rs', { spec: { replicas: 1, selector, template } }],
  [refs.replicationControllers, 'rc', { spec: { replicas: 1, selector: { app: 'rc' }, template: labelled('rc') } }],
  [refs.daemonSets, 'agent', { spec: { selector: { matchLabels: { app: 'ds' } }, template: labelled('ds') } }],
  [
    refs.statefulSets,
    'db',
    {
      spec: {
        replicas: 2,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: labelled('db'),
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
      },
    },
  ],
  [refs.jobs, 'once', { spec: { ...job, ttlSecondsAfterFinished: 60 } }],
  [refs.cronJobs, 'often', { spec: { schedule: '* * * * *', jobTemplate: { spec: job } } }],
  [refs.services, 'web', { spec: { type: 'LoadBalancer', selector: labels, ports: [{ port: 80 }] } }],
  [refs.services, 'manual', { spec: { ports: [{ port: 80 }] } }],
  [refs.endpoints, 'manual', { subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 80 }] }] }],
  [refs.podDisruptionBudgets, 'web', { spec: { minAvailable: 1, selector } }],
  [refs.resourceQuotas, 'quota', { spec: { hard: { pods: '100' } } }],
  [
    refs.horizontalPodAutoscalers,
    'web',
    {
      spec: {
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    },
  ],
  [refs.persistentVolumeClaims, 'waiting', { spec: claim }],
  [
    refs.resourceClaimTemplates,
    'gpu',
    { spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } } } },
  ],
  [
    refs.pods,
    'claiming',
    {
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            resources: { claims: [{ name: 'gpu' }] },
            volumeMounts: [{ name: 'e', mountPath: '/e' }],
          },
        ],
        resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }],
        volumes: [{ name: 'e', ephemeral: { volumeClaimTemplate: { spec: claim } } }],
      },
    },
  ],
];

/** Of the cluster. */
const clusterObjects: typeof objects = [
  [refs.deviceClasses, 'gpu', { spec: {} }],
  [
    refs.resourceSlices,
    'gpus',
    {
      spec: {
        driver: 'gpu.example.com',
        nodeName: 'coracle-node-1',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'a', taints: [{ key: 'broken', effect: 'NoSchedule' }] }],
      },
    },
  ],
  [
    refs.clusterRoles,
    'sum',
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { sum: 'yes' } }] }, rules: [] },
  ],
  [refs.clusterRoles, 'part', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }],
  [refs.serviceCIDRs, 'more', { spec: { cidrs: ['10.50.0.0/24'] } }],
  [refs.storageVersionMigrations, 'configmaps', { spec: { resource: { group: '', resource: 'configmaps' } } }],
  [
    refs.persistentVolumes,
    'pv',
    { spec: { capacity: { storage: '1Mi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
  ],
];

function labelled(app: string): object {
  return { metadata: { labels: { app } }, spec: pod };
}

async function refusals(): Promise<readonly string[]> {
  const { body } = await cluster.client.raw('GET', '/metrics');
  return String(body)
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_total{') && line.includes('code="403"'));
}

test('controllers and the scheduler may do all that they do, by their own roles', { timeout: 240_000 }, async () => {
  const { client, clock } = cluster;
  for (const [ref, name, content] of clusterObjects)
    await client.resource(ref).create({ metadata: { name }, ...content });
  await client.namespaces().create({ metadata: { name: 'work' } });
  await cluster.settled();
  for (const [ref, name, content] of objects)
    await client.resource(ref, 'work').create({ metadata: { name }, ...content });
  await clock.advance('3m');
  await client.resource(refs.statefulSets, 'work').patch('db', { spec: { replicas: 1 } }, { type: 'merge' });
  const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'i:2' }] } } } };
  await client.resource(refs.deployments, 'work').patch('web', image, { type: 'merge' });
  await client.resource(refs.services, 'work').delete('manual');
  await client.nodes().delete('coracle-node-2');
  await clock.advance('10m');
  const { items } = await client.resource(refs.pods, 'work').list();
  expect(items.length).toBeGreaterThan(5);
  await client.resource(refs.statefulSets, 'work').delete('db');
  await clock.advance('1m');
  expect(await refusals()).toEqual([]);
  await client.namespaces().delete('work');
  await client.resource(refs.serviceCIDRs).delete('more');
  await clock.advance('2m');
  expect((await client.namespaces().list()).items.map(({ metadata }) => metadata.name)).not.toContain('work');
  const [migration] = (await client.resource(refs.storageVersionMigrations).list()).items;
  expect(migration?.status?.conditions).toMatchObject([{ type: 'Running' }, { type: 'Succeeded', status: 'True' }]);
  // Creates in a terminating namespace are rejected.
  const others = (await refusals()).filter((line) => !line.includes('verb="POST"'));
  expect(others).toEqual([]);
});
