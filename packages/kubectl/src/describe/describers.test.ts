import { createClient } from '@coracle/client';
import { describe, expect, test } from 'vitest';
import type { Fields } from '../values.js';
import { describeObject } from './describers.js';

/** A server that finds its lists by a part of their addresses. */
function clientOf(lists: Readonly<Record<string, readonly Fields[]>>) {
  return createClient({
    transport: {
      exchange: async ({ path, query }) => {
        const address = decodeURIComponent(`${path}?${query}`);
        const items = Object.entries(lists).find(([part]) => address.includes(part))?.[1] ?? [];
        const bytes = new TextEncoder().encode(JSON.stringify({ kind: 'List', apiVersion: 'v1', items }));
        const headers = { 'content-type': 'application/json' };
        return { status: 200, headers, body: { kind: 'bytes', chunks: [bytes] } };
      },
    },
  });
}

async function text(object: Fields, lists: Readonly<Record<string, readonly Fields[]>> = {}, showEvents = false) {
  const now = Date.parse('2026-01-01T00:01:00Z');
  return describeObject(object, { client: clientOf(lists), now, showEvents, chunkSize: 500 });
}

const named = (kind: string, apiVersion: string, rest: Fields = {}) => ({
  apiVersion,
  kind,
  metadata: { name: 'a', uid: 'u' },
  ...rest,
});
const cases: readonly { readonly name: string; readonly object: Fields; readonly want: readonly string[] }[] = [
  {
    name: 'an autoscaler has a line for each metric and its behavior',
    object: named('HorizontalPodAutoscaler', 'autoscaling/v2', {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        maxReplicas: 5,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 50 } } },
          {
            type: 'ContainerResource',
            containerResource: { name: 'cpu', container: 'c', target: { averageValue: '1' } },
          },
          {
            type: 'Object',
            object: { describedObject: { kind: 'Service', name: 's' }, metric: { name: 'q' }, target: { value: '2k' } },
          },
          { type: 'External', external: { metric: { name: 'e' }, target: { averageValue: '30' } } },
        ],
        behavior: {
          scaleDown: { stabilizationWindowSeconds: 30, policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] },
        },
      },
      status: { currentMetrics: [{ resource: { current: { averageUtilization: 7, averageValue: '70m' } } }] },
    }),
    want: [
      'resource cpu on pods  (as a percentage of request):  7% (70m) / 50%',
      'resource cpu of container "c" on pods: <unknown> / 1',
      '"q" on Service/s (target value): <unknown> / 2k',
      '"e" (target average value): <unknown> / 30',
      'Stabilization Window: 30 seconds',
      'Select Policy: Max',
      '- Type: Pods Value: 1 Period: 60 seconds',
    ],
  },
  {
    name: 'a range of ports is called so',
    object: named('NetworkPolicy', 'networking.k8s.io/v1', {
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ ports: [{ port: 81, endPort: 90, protocol: 'UDP' }] }],
      },
    }),
    want: ['To Port Range: 81-90/UDP'],
  },
  {
    name: 'a service CIDR',
    object: named('ServiceCIDR', 'networking.k8s.io/v1', { spec: { cidrs: ['10.0.0.0/16', 'fd00::/108'] } }),
    want: ['CIDRs: 10.0.0.0/16, fd00::/108'],
  },
  {
    name: 'an IP address names its parent',
    object: named('IPAddress', 'networking.k8s.io/v1', {
      spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } },
    }),
    want: ['Parent Reference:', 'Resource: services', 'Namespace: n', 'Name: s'],
  },
  {
    name: 'a class of volume attributes',
    object: named('VolumeAttributesClass', 'storage.k8s.io/v1', { driverName: 'd', parameters: { iops: '1', b: '2' } }),
    want: ['DriverName: d', 'Parameters: b=2,iops=1'],
  },
  {
    name: 'the drivers of a node',
    object: named('CSINode', 'storage.k8s.io/v1', {
      spec: { drivers: [{ name: 'd', nodeID: 'n', allocatable: { count: 3 }, topologyKeys: ['z', 'y'] }] },
    }),
    want: ['d:', 'Node ID: n', 'Count: 3', 'Topology Keys: [z y]'],
  },
  {
    name: 'a volume that is deleted says for how long',
    object: {
      ...named('PersistentVolume', 'v1', { spec: {} }),
      metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' },
    },
    want: ['Status: Terminating (lasts 60s)'],
  },
  {
    name: 'fields of other kinds are in the order of their names, and hyphens stand apart',
    object: named('Thing', 'example.com/v1', {
      action: 'x',
      'x-kubernetes-map-type': 'atomic',
      podIP: '1',
      v1Name: 'n',
    }),
    want: ['Action: x', 'API Version: example.com/v1', 'Pod IP: 1', 'v1Name: n', 'X - Kubernetes - Map - Type: atomic'],
  },
];

describe('descriptions', () => {
  test.each(cases)('$name', async ({ object, want }) => {
    const lines = (await text(object)).split('\n').map((line) => line.trim().replace(/ +/g, ' '));
    const expected = want.map((line) => line.replace(/ +/g, ' '));
    expect(lines.filter((line) => expected.includes(line))).toEqual(expected);
  });

  test('a claim names the pods that use it, by its name or because it was made for them', async () => {
    const claim = {
      ...named('PersistentVolumeClaim', 'v1', { spec: {} }),
      metadata: { name: 'a', namespace: 'n', ownerReferences: [{ kind: 'Pod', uid: '2' }] },
    };
    const pods = [
      { metadata: { name: 'z', uid: '1' }, spec: { volumes: [{ persistentVolumeClaim: { claimName: 'a' } }] } },
      { metadata: { name: 'b', uid: '2' }, spec: {} },
      { metadata: { name: 'c', uid: '3' }, spec: {} },
    ];
    expect(await text(claim, { '/namespaces/n/pods': pods })).toMatch(/^Used By: +b\n +z\n/m);
  });

  test('a namespace shows the scopes of its quotas', async () => {
    const quota = { metadata: { name: 'q' }, spec: { scopes: ['NotTerminating', 'BestEffort'] } };
    const shown = await text(named('Namespace', 'v1'), { resourcequotas: [quota] });
    expect(shown).toMatch(/^ {2}Scopes: +BestEffort, NotTerminating\n {2}\* Matches all pods/m);
  });

  test("events of a node are those of its uid and those of its kubelet's, without hosts, the oldest first", async () => {
    const event = (reason: string, second: number) => ({
      type: 'Normal',
      reason,
      source: { component: 'kubelet', host: 'h' },
      firstTimestamp: `2026-01-01T00:00:${second}Z`,
      lastTimestamp: `2026-01-01T00:00:${second}Z`,
    });
    const lists = { 'involvedObject.uid=u': [event('Later', 50)], 'involvedObject.uid=a': [event('Starting', 40)] };
    const shown = await text(named('Node', 'v1'), lists, true);
    expect(shown).toMatch(/Starting +20s +kubelet *\n.*Later +10s +kubelet *\n/);
  });
});
