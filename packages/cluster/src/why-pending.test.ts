import { type Pod, type PodSpec, refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './start-cluster.js';

const [one, two, three] = ['coracle-node-1', 'coracle-node-2', 'coracle-node-3'];
const hostname = 'kubernetes.io/hostname';
const localVolume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 3, whyApi: true });
  await cluster.settled();
  await cluster.client.nodes().patch(one, { spec: { unschedulable: true } }, { type: 'merge' });
  await create(refs.storageClasses, {
    metadata: { name: 'by-hand' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await create(refs.persistentVolumes, {
    metadata: { name: 'here' },
    spec: {
      ...localVolume,
      storageClassName: 'static',
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: hostname, operator: 'In', values: [one] }] }] },
      },
    },
  });
  await create(refs.persistentVolumes, {
    metadata: { name: 'zoned', labels: { 'topology.kubernetes.io/zone': 'north' } },
    spec: { ...localVolume, storageClassName: 'zonal' },
  });
  await claim('bound', { storageClassName: 'static' });
  await claim('in-zone', { storageClassName: 'zonal' });
  await claim('classless', { storageClassName: '' });
  await claim('no-class', { storageClassName: 'missing' });
  await claim('later', { storageClassName: 'by-hand' });
  await cluster.clock.advance('1m');
  await pod('holder', {
    containers: [{ name: 'app', image: 'app', ports: [{ containerPort: 80, hostPort: 80 }] }],
    nodeName: two,
  });
  await pod('other', {
    containers: [{ name: 'app', image: 'app', ports: [{ containerPort: 80, hostPort: 80 }] }],
    nodeName: three,
  });
}, 60_000);
afterAll(() => cluster.stop());

function create<T extends KubeObject>(ref: ResourceRef<T>, object: object, namespace?: string): Promise<unknown> {
  return cluster.client.resource(ref, namespace).create(object as T);
}

function claim(name: string, spec: object): Promise<unknown> {
  const resources = { requests: { storage: '1Gi' } };
  return create(
    refs.persistentVolumeClaims,
    { metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources, ...spec } },
    'default',
  );
}

async function pod(name: string, spec: Partial<PodSpec>): Promise<void> {
  const containers = [{ name: 'app', image: 'app' }];
  await cluster.client.pods('default').create({ metadata: { name }, spec: { containers, ...spec } } as Pod);
  await cluster.clock.advance('5s');
}

async function suggestionsFor(name: string, spec: Partial<PodSpec>): Promise<string[]> {
  await pod(name, spec);
  const path = `/apis/scheduling.coracle.dev/v1alpha1/namespaces/default/pods/${name}/why`;
  const { body } = await cluster.client.raw('GET', path);
  const { suggestions } = body as { suggestions: { node: string; changes: string[] }[] };
  return suggestions.map(({ node, changes }) => `${node}: ${changes.join('; ')}`);
}

function using(claimName: string): Partial<PodSpec> {
  return { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] };
}

const without = (name: string) => `${two}: use other volumes than data (claim ${name}): without them the pod would run`;

test.each<[string, Partial<PodSpec>, string[]]>([
  [
    'ports',
    { containers: [{ name: 'app', image: 'app', ports: [{ containerPort: 80, hostPort: 80 }] }] },
    [
      `${two}: use another host port than 80`,
      `${one}: uncordon the node ${one}`,
      `${two}: remove default/holder from the node ${two}`,
      `${three}: remove default/other from the node ${three}`,
    ],
  ],
  [
    'affinity',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
          },
        },
      },
    },
    [
      `${two}: prefer the node affinity instead of requiring it`,
      `${two}: add the label disk=ssd to the node ${two}`,
      `${three}: add the label disk=ssd to the node ${three}`,
    ],
  ],
  ['gone', using('gone'), [`${two}: create the claim gone, and let it be bound`, without('gone')]],
  [
    'classless',
    using('classless'),
    [
      `${two}: bind the claim classless: create a volume of 1Gi with ReadWriteOnce without a class`,
      without('classless'),
    ],
  ],
  [
    'no-class',
    using('no-class'),
    [
      `${two}: create the storage class missing, which the claim no-class names, or a volume of 1Gi with ReadWriteOnce of the class missing`,
      without('no-class'),
    ],
  ],
  [
    'later',
    using('later'),
    [
      `${two}: create a volume of 1Gi with ReadWriteOnce of the class by-hand that the node ${two} reaches, for the claim later (node(s) didn't find available persistent volumes to bind)`,
    ],
  ],
  [
    'bound',
    using('bound'),
    [
      `${one}: uncordon the node ${one}`,
      `${two}: let the node ${two} reach the volume here of the claim bound: its node affinity requires ${hostname} In (${one})`,
    ],
  ],
  [
    'in-zone',
    using('in-zone'),
    [
      `${two}: run on a node with topology.kubernetes.io/zone=north, where the volume zoned is: ${two} has no such label`,
    ],
  ],
  [
    'gated',
    { schedulingGates: [{ name: 'example.com/gate' }] },
    [`${two}: remove the scheduling gate example.com/gate`],
  ],
  [
    'devices',
    { resourceClaims: [{ name: 'gpu', resourceClaimName: 'none' }] },
    [
      `${two}: create the resource claim none`,
      `${two}: request other devices than those of the resource claim gpu (none): without it the pod would run`,
    ],
  ],
])('the smallest changes for a pod that waits: %s', async (name, spec, expected) => {
  const found = await suggestionsFor(`p-${name}`, spec);
  expect(found.slice(0, expected.length)).toEqual(expected);
});
