import type { KubeObject } from '@coracle/apimachinery';
import type { PodBatch, PodTemplate, Workload } from './workloads.js';

type Fields = Readonly<Record<string, unknown>>;

const driver = 'test-driver.example.com';
const priorities: readonly (readonly [string, number])[] = [
  ['low', 10],
  ['high', 1_000],
];

export function nodeObject(workload: Workload, index: number): Fields {
  const name = `node-${index}`;
  const amounts = { cpu: '4', memory: '32Gi', pods: '110' };
  const zone = workload.zones === 'one' ? 'zone-1' : `zone-${(index % 3) + 1}`;
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, ...(workload.zones && { 'topology.kubernetes.io/zone': zone }) },
    },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** What a node's driver of volumes and of devices publishes. */
export function csiNodeObject(index: number): Fields {
  const name = `node-${index}`;
  return { metadata: { name }, spec: { drivers: [{ name: driver, nodeID: name, allocatable: { count: 39 } }] } };
}

export function sliceObject({ devices = 0 }: Workload, index: number): Fields {
  const nodeName = `node-${index}`;
  return {
    metadata: { name: `${nodeName}-devices` },
    spec: {
      nodeName,
      driver,
      pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: devices }, (_, device) => ({ name: `device-${device}` })),
    },
  };
}

export const deviceClass: Fields = {
  metadata: { name: 'test-class' },
  spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
};

export const claimTemplate: Fields = {
  metadata: { name: 'test-claim' },
  spec: { spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'test-class' } }] } } },
};

export const priorityClasses: readonly Fields[] = priorities.map(([name, value]) => ({ metadata: { name }, value }));

/** A volume and a claim that are bound to each other already. */
export function volumeObjects(
  name: string,
  namespace: string,
): { volume(claimUid: string): Fields; readonly claim: Fields } {
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '', volumeMode: 'Filesystem' };
  return {
    volume: (uid) => ({
      metadata: { name, annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: {
        ...common,
        capacity: { storage: '1Gi' },
        csi: { driver, volumeHandle: name },
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      },
    }),
    claim: {
      metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'true' } },
      spec: { ...common, volumeName: name, resources: { requests: { storage: '1Gi' } } },
    },
  };
}

export function podObject({ template, namespace = 'default' }: PodBatch, name: string): KubeObject {
  const { labels, requests, ...spec } = podTemplates[template](name);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'pause',
          image: 'registry.example/pause:3.10',
          ports: [{ containerPort: 80 }],
          resources: { limits: requests, requests },
          ...(template === 'device-claim' && { resources: { claims: [{ name: 'device' }] } }),
        },
      ],
      ...spec,
    },
  } as KubeObject;
}

interface TemplateFields {
  readonly labels: Record<string, string>;
  readonly requests: Record<string, string>;
  readonly [field: string]: unknown;
}

const small = { cpu: '100m', memory: '500Mi' };

const podTemplates: Readonly<Record<PodTemplate, (name: string) => TemplateFields>> = {
  default: () => ({ labels: {}, requests: small }),
  'high-priority-large-cpu': () => ({
    labels: {},
    requests: { cpu: '9', memory: '500Mi' },
    priorityClassName: 'high',
  }),
  'low-priority': () => ({ labels: {}, requests: { cpu: '900m', memory: '500Mi' }, priorityClassName: 'low' }),
  'high-priority': () => ({ labels: {}, requests: { cpu: '3', memory: '500Mi' }, priorityClassName: 'high' }),
  spreading: () => ({
    labels: { color: 'blue' },
    requests: small,
    topologySpreadConstraints: [
      {
        maxSkew: 5,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { color: 'blue' } },
      },
    ],
  }),
  'preferred-affinity': () => ({
    labels: { color: 'red' },
    requests: small,
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: affinityTerm('red', 'kubernetes.io/hostname') },
        ],
      },
    },
  }),
  'required-affinity': () => ({
    labels: { color: 'blue' },
    requests: small,
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm('blue', 'topology.kubernetes.io/zone')],
      },
    },
  }),
  'required-anti-affinity': () => ({
    labels: { color: 'green' },
    requests: small,
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm('green', 'kubernetes.io/hostname')],
      },
    },
  }),
  volume: (name) => ({
    labels: {},
    requests: small,
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
  }),
  'device-claim': () => ({
    labels: {},
    requests: {},
    resourceClaims: [{ name: 'device', resourceClaimTemplateName: 'test-claim' }],
  }),
};

function affinityTerm(color: string, topologyKey: string): Fields {
  return { topologyKey, labelSelector: { matchLabels: { color } }, namespaces: ['sched-1', 'sched-0'] };
}
