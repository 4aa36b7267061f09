import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { PersistentVolumeClaim, Pod, PodSpec, ResourceQuota, Service } from '../../../generated/types/core-v1.js';
import { podEvaluator } from './pod-evaluator.js';
import { isInScope } from './quota-scopes.js';
import { QuotaEvaluators, usageDifference, usageUnder } from './quota-usage.js';

const pods = { group: '', resource: 'pods' };
const evaluators = new QuotaEvaluators({ classes: () => [], pod: () => undefined, claims: () => [] });

function pod(spec: Partial<PodSpec> = {}, rest: Partial<Pod> = {}): Pod {
  return { metadata: {}, spec: { containers: [{ name: 'c', image: 'i' }], ...spec }, ...rest };
}

function container(name: string, requests?: Record<string, string>, limits?: Record<string, string>) {
  return { name, image: 'i', resources: { ...(requests && { requests }), ...(limits && { limits }) } };
}

function usage(resource: { group: string; resource: string }, object: KubeObject, now = 0): Record<string, string> {
  const amounts = evaluators.for(resource).usage(object, now);
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
}

describe('usage of a resource claim', () => {
  const claims = { group: 'resource.k8s.io', resource: 'resourceclaims' };
  const of = (...requests: object[]) => {
    const { 'count/resourceclaims.resource.k8s.io': count, ...devices } = usage(claims, {
      metadata: {},
      spec: { devices: { requests } },
    } as KubeObject);
    expect(count).toBe('1');
    return devices;
  };
  const gold = 'gold.deviceclass.resource.k8s.io/devices';
  const silver = 'silver.deviceclass.resource.k8s.io/devices';
  const asGold = 'requests.deviceclass.resource.kubernetes.io/gold';
  const asSilver = 'requests.deviceclass.resource.kubernetes.io/silver';

  test.each<[string, object[], Record<string, string>]>([
    ['the devices of its class', [{ exactly: { deviceClassName: 'gold', count: 2 } }], { [gold]: '2', [asGold]: '2' }],
    [
      'all of its requests',
      [{ exactly: { deviceClassName: 'gold' } }, { exactly: { deviceClassName: 'gold' } }],
      { [gold]: '2', [asGold]: '2' },
    ],
    [
      'as many as there can be of all',
      [{ exactly: { deviceClassName: 'gold', allocationMode: 'All' } }],
      { [gold]: '32', [asGold]: '32' },
    ],
    [
      'of alternatives the largest of each class',
      [
        {
          firstAvailable: [
            { deviceClassName: 'gold', count: 1 },
            { deviceClassName: 'gold', count: 3 },
            { deviceClassName: 'silver', count: 2 },
          ],
        },
      ],
      { [gold]: '3', [asGold]: '3', [silver]: '2', [asSilver]: '2' },
    ],
  ])('is %s', (_name, requests, expected) => {
    expect(of(...requests)).toEqual(expected);
  });

  test('is matched by the name of a device class', () => {
    expect(evaluators.charged(gold)).toEqual([claims]);
    expect(evaluators.charged('count/resourceclaims.resource.k8s.io')).toEqual([claims]);
  });
});

describe('usage of a pod', () => {
  test('is the sum of requests and limits of its containers, under all names', () => {
    const spec = {
      containers: [container('a', { cpu: '1', memory: '1Gi' }, { cpu: '2' }), container('b', { cpu: '500m' })],
    };
    expect(usage(pods, pod(spec))).toEqual({
      'count/pods': '1',
      pods: '1',
      cpu: '1500m',
      'requests.cpu': '1500m',
      memory: '1Gi',
      'requests.memory': '1Gi',
      'limits.cpu': '2',
    });
  });

  test('counts devices and huge pages by request', () => {
    const requests = { 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' };
    expect(usage(pods, pod({ containers: [container('a', requests)] }))).toMatchObject({
      'requests.example.com/gpu': '2',
      'hugepages-2Mi': '4Mi',
      'requests.hugepages-2Mi': '4Mi',
    });
  });

  const ended: { name: string; rest: Partial<Pod>; now: number; counts: boolean }[] = [
    {
      name: 'of one that has failed is its object alone',
      rest: { status: { phase: 'Failed' } },
      now: 0,
      counts: false,
    },
    { name: 'of one that runs is all of it', rest: { status: { phase: 'Running' } }, now: 0, counts: true },
    {
      name: 'of one that is ending is all of it until its time is over',
      rest: { metadata: { deletionTimestamp: '1970-01-01T00:00:10Z', deletionGracePeriodSeconds: 10 } },
      now: 20_000,
      counts: true,
    },
    {
      name: 'of one that should have ended is its object alone',
      rest: { metadata: { deletionTimestamp: '1970-01-01T00:00:10Z', deletionGracePeriodSeconds: 10 } },
      now: 20_001,
      counts: false,
    },
  ];
  test.each(ended)('$name', ({ rest, now, counts }) => {
    const found = usage(pods, pod({}, rest), now);
    expect({ pods: found['pods'], objects: found['count/pods'] }).toEqual({
      pods: counts ? '1' : undefined,
      objects: '1',
    });
  });
});

describe('the required resources of a pod', () => {
  const cases: { name: string; names: string[]; spec: Partial<PodSpec>; missing: string | undefined }[] = [
    {
      name: 'is every compute resource with a quota, by container',
      names: ['limits.cpu', 'requests.memory', 'pods'],
      spec: { containers: [container('b'), container('a', { memory: '1' })] },
      missing: 'must specify limits.cpu for: a,b; requests.memory for: b',
    },
    {
      name: 'is nothing without a quota on it',
      names: ['pods', 'requests.ephemeral-storage'],
      spec: {},
      missing: undefined,
    },
    {
      name: 'is nothing when the pod states its resources as a whole',
      names: ['limits.cpu'],
      spec: { resources: { limits: { cpu: '1' } } },
      missing: undefined,
    },
  ];
  test.each(cases)('$name', ({ names, spec, missing }) => {
    expect(podEvaluator.missing?.(names, pod(spec))).toBe(missing);
  });
});

describe('scopes', () => {
  const besteffort = pod();
  const guaranteed = pod({ containers: [container('a', { cpu: '1', memory: '1' }, { cpu: '1', memory: '1' })] });
  const high = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };
  const affinity = {
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z', namespaces: ['other'] }] },
  };
  const cases: { name: string; spec: NonNullable<ResourceQuota['spec']>; pod: Pod; matches: boolean }[] = [
    {
      name: 'BestEffort takes in what requests nothing',
      spec: { scopes: ['BestEffort'] },
      pod: besteffort,
      matches: true,
    },
    { name: 'NotBestEffort leaves that out', spec: { scopes: ['NotBestEffort'] }, pod: besteffort, matches: false },
    { name: 'NotBestEffort takes in what asks', spec: { scopes: ['NotBestEffort'] }, pod: guaranteed, matches: true },
    {
      name: 'Terminating takes in what has a deadline',
      spec: { scopes: ['Terminating'] },
      pod: pod({ activeDeadlineSeconds: 5 }),
      matches: true,
    },
    {
      name: 'NotTerminating leaves that out',
      spec: { scopes: ['NotTerminating'] },
      pod: pod({ activeDeadlineSeconds: 5 }),
      matches: false,
    },
    {
      name: 'PriorityClass takes in those it names',
      spec: { scopeSelector: { matchExpressions: [high] } },
      pod: pod({ priorityClassName: 'high' }),
      matches: true,
    },
    {
      name: 'PriorityClass leaves others out',
      spec: { scopeSelector: { matchExpressions: [high] } },
      pod: pod({ priorityClassName: 'low' }),
      matches: false,
    },
    { name: 'all scopes must match', spec: { scopes: ['BestEffort', 'Terminating'] }, pod: besteffort, matches: false },
    {
      name: 'CrossNamespacePodAffinity takes in what looks into other namespaces',
      spec: { scopes: ['CrossNamespacePodAffinity'] },
      pod: pod({ affinity }),
      matches: true,
    },
  ];
  test.each(cases)('$name', ({ spec, pod: subject, matches }) => {
    expect(isInScope({ metadata: {}, spec }, evaluators.for(pods), subject)).toBe(matches);
  });
});

describe('usage of a service', () => {
  const ports = [{ port: 1 }, { port: 2, nodePort: 30000 }];
  const cases: { name: string; spec: NonNullable<Service['spec']>; nodePorts: string; balancers: string }[] = [
    { name: 'inside the cluster is itself', spec: { type: 'ClusterIP', ports }, nodePorts: '0', balancers: '0' },
    { name: 'on node ports is each of them', spec: { type: 'NodePort', ports }, nodePorts: '2', balancers: '0' },
    {
      name: 'with a load balancer is that and its node ports',
      spec: { type: 'LoadBalancer', ports },
      nodePorts: '2',
      balancers: '1',
    },
    {
      name: 'with a load balancer that needs none counts the ports that it requests',
      spec: { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false },
      nodePorts: '1',
      balancers: '1',
    },
  ];
  test.each(cases)('$name', ({ spec, nodePorts, balancers }) => {
    const service: Service = { metadata: {}, spec };
    expect(usage({ group: '', resource: 'services' }, service)).toEqual({
      services: '1',
      'count/services': '1',
      'services.nodeports': nodePorts,
      'services.loadbalancers': balancers,
    });
  });
});

test('usage of a claim is its storage, altogether and by class', () => {
  const claim: PersistentVolumeClaim = {
    metadata: {},
    spec: { storageClassName: 'fast', resources: { requests: { storage: '5Gi' } } },
  };
  expect(usage({ group: '', resource: 'persistentvolumeclaims' }, claim)).toEqual({
    persistentvolumeclaims: '1',
    'count/persistentvolumeclaims': '1',
    'requests.storage': '5Gi',
    'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    'fast.storageclass.storage.k8s.io/requests.storage': '5Gi',
  });
});

test.each<[string, PersistentVolumeClaim, PersistentVolumeClaim, boolean]>([
  ['another class of attributes', claimOf('gold'), claimOf('silver'), true],
  ['less storage', claimOf('gold', '2Gi'), claimOf('gold', '1Gi'), true],
  ['more storage', claimOf('gold', '1Gi'), claimOf('gold', '2Gi'), false],
  ['the end of a modification', claimOf('gold', '1Gi', 'silver'), claimOf('gold', '1Gi', 'gold'), true],
])('%s of a claim may free something', (_, before, after, frees) => {
  const evaluator = evaluators.for({ group: '', resource: 'persistentvolumeclaims' });
  expect(evaluator.frees?.(after, before, 0)).toBe(frees);
});

function claimOf(volumeAttributesClassName: string, storage = '1Gi', current?: string): PersistentVolumeClaim {
  return {
    metadata: {},
    spec: { volumeAttributesClassName, resources: { requests: { storage } } },
    ...(current && { status: { currentVolumeAttributesClassName: current } }),
  };
}

test.each([
  ['configmaps', { group: '', resource: 'configmaps' }],
  ['count/deployments.apps', { group: 'apps', resource: 'deployments' }],
  ['count/widgets.example.com', { group: 'example.com', resource: 'widgets' }],
  ['limits.cpu', pods],
  ['requests.example.com/gpu', pods],
  ['services.nodeports', { group: '', resource: 'services' }],
  ['fast.storageclass.storage.k8s.io/requests.storage', { group: '', resource: 'persistentvolumeclaims' }],
  ['nonsense', undefined],
])('the name %s counts objects of one resource', (name, resource) => {
  expect(evaluators.charged(name)).toEqual(resource ? [resource] : []);
});

test('usageUnder sums the usage in scope of the quota', () => {
  const quota: ResourceQuota = { metadata: {}, spec: { hard: { pods: '5', 'requests.cpu': '4', configmaps: '1' } } };
  const objects = [pod(), pod({ containers: [container('a', { cpu: '250m' })] })];
  const found = usageUnder(quota, evaluators.for(pods), { objects, now: 0 });
  expect([...found].map(([name, amount]) => `${name}=${amount}`)).toEqual(['pods=2', 'requests.cpu=250m']);
});

test('usageDifference is the change', () => {
  const evaluator = evaluators.for({ group: '', resource: 'services' });
  const of = (type: string) => evaluator.usage({ metadata: {}, spec: { type, ports: [{ port: 1 }] } } as Service, 0);
  const change = usageDifference(of('LoadBalancer'), of('NodePort'));
  expect([...change].map(([name, amount]) => `${name}=${amount}`)).toEqual(['services.loadbalancers=1']);
});
