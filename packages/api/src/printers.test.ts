import { describe, expect, it } from 'vitest';
import { cellsOf, now } from './columns/row.fixture.js';
import { columns as facts } from './generated/columns.js';
import { resources } from './generated/resources.js';
import { tablePrinterOf } from './printers.js';

/** Where upstream calls its printer otherwise than the kind. */
const factNames: Readonly<Record<string, string>> = {
  ClusterRoleBinding: 'clusterRoleBindings',
  CSIDriver: 'csiDriver',
  CSINode: 'csiNode',
  DeviceTaintRule: 'deviceTaint',
  Endpoints: 'endpoint',
  IPAddress: 'ipAddress',
  MutatingWebhookConfiguration: 'mutatingWebhook',
  PriorityLevelConfiguration: 'priorityLevel',
  ResourceSlice: 'nodeResourceSlice',
  RoleBinding: 'roleBindings',
  ValidatingWebhookConfiguration: 'validatingWebhook',
};

/** Upstream adds columns to these in steps, or names the format elsewhere, so the facts have a part of them. */
const partial: ReadonlySet<string> = new Set(['CSIDriver', 'Event']);

/** Upstream has a printer for it, and does not use it. */
const plain: ReadonlySet<string> = new Set(['CSIStorageCapacity']);

const shown = [...new Map(resources.map((info) => [`${info.group}/${info.kind}`, info])).values()].filter(
  ({ verbs, group }) => verbs.includes('list') && group !== 'events.k8s.io',
);

describe('tablePrinterOf', () => {
  it.each(
    shown.filter(({ kind }) => facts[factNameOf(kind)] && !plain.has(kind)).map((info) => [info.kind, info] as const),
  )('has the columns of upstream for %s', (kind, info) => {
    const expected = (facts[factNameOf(kind)] ?? []).map(([name, type, format, priority]) => ({
      name,
      type,
      priority,
      ...(!partial.has(kind) && { format }),
    }));
    expect(tablePrinterOf(info).columns.slice(0, expected.length)).toMatchObject(expected);
    if (!partial.has(kind)) expect(tablePrinterOf(info).columns).toHaveLength(expected.length);
  });

  it.each(shown.map((info) => [info.kind, info] as const))('describes each column of %s', (_, info) => {
    for (const { description } of tablePrinterOf(info).columns) expect(description).toMatch(/^\w.*\.$/);
  });

  it('has name and age for kinds without other columns', () => {
    const { columns, cells } = tablePrinterOf({ group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' });
    expect(columns.map(({ name, type, format }) => [name, type, format])).toEqual([
      ['Name', 'string', 'name'],
      ['Created At', 'date', ''],
    ]);
    const metadata = { name: 'foos.example.com', creationTimestamp: '2026-01-01T00:00:00Z' };
    expect(cells({ metadata }, now)).toEqual(['foos.example.com', '2026-01-01T00:00:00Z']);
  });

  it('shows flow schemas in the order in which they match', () => {
    const schema = (name: string, matchingPrecedence: number) => ({ metadata: { name }, spec: { matchingPrecedence } });
    const { compare } = tablePrinterOf({ group: 'flowcontrol.apiserver.k8s.io', kind: 'FlowSchema' });
    const sorted = [schema('b', 9), schema('c', 1), schema('a', 9)].sort(compare);
    expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['c', 'a', 'b']);
  });
});

function factNameOf(kind: string): string {
  return factNames[kind] ?? kind.replace(/^[A-Z]/, (first) => first.toLowerCase());
}

describe('tables', () => {
  const deleted = { deletionTimestamp: '2026-01-05T00:00:00Z' };
  const subjects = [
    { kind: 'User', name: 'ann' },
    { kind: 'User', name: 'bob' },
    { kind: 'Group', name: 'dev' },
    { kind: 'ServiceAccount', namespace: 'shop', name: 'bot' },
  ];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  const csr = (conditions: readonly string[], certificate?: string) => ({
    spec: { request: 'YQ==', signerName: 'example.com/s', username: 'ann', expirationSeconds: 3600 },
    status: {
      conditions: conditions.map((type) => ({ type, status: 'True' })),
      ...(certificate !== undefined && { certificate }),
    },
  });
  const paramRef = { parameterNotFoundAction: 'Deny' };
  const validations = [{ expression: 'true' }, { expression: 'false' }];
  const webhook = {
    name: 'a.example.com',
    admissionReviewVersions: ['v1'],
    clientConfig: { url: 'https://a' },
    sideEffects: 'None',
  };
  const allocation = { allocation: {} };
  const ingress = (hosts: readonly string[]) => ({ rules: hosts.map((host) => ({ host })) });

  it.each<readonly [string, readonly unknown[], Record<string, unknown>]>([
    ['policy/v1 PodDisruptionBudget', ['50%', 'N/A', 2, '5d'], { spec: { minAvailable: '50%' }, status: pdb(2) }],
    ['policy/v1 PodDisruptionBudget', ['N/A', '1', 0, '5d'], { spec: { maxUnavailable: 1 }, status: pdb(0) }],
    ['networking.k8s.io/v1 Ingress', ['<none>', '*', '', '80', '5d'], { spec: {} }],
    [
      'networking.k8s.io/v1 Ingress',
      ['nginx', 'a.com,b.com,c.com + 2 more...', '1.2.3.4,lb.com', '80, 443', '5d'],
      {
        spec: { ingressClassName: 'nginx', tls: [{}], ...ingress(['a.com', 'b.com', 'c.com', 'd.com', 'e.com']) },
        status: { loadBalancer: { ingress: [{ hostname: 'lb.com' }, { ip: '1.2.3.4' }] } },
      },
    ],
    ['networking.k8s.io/v1 IngressClass', ['c/x', '<none>', '5d'], { spec: { controller: 'c/x' } }],
    [
      'networking.k8s.io/v1 IngressClass',
      ['c/x', 'P.example.com/p', '5d'],
      { spec: { controller: 'c/x', parameters: { apiGroup: 'example.com', kind: 'P', name: 'p' } } },
    ],
    ['networking.k8s.io/v1 NetworkPolicy', ['<none>', '5d'], { spec: { podSelector: {} } }],
    ['networking.k8s.io/v1 NetworkPolicy', ['a=b', '5d'], { spec: { podSelector: { matchLabels: { a: 'b' } } } }],
    [
      'networking.k8s.io/v1 IPAddress',
      ['services/shop/web'],
      { spec: { parentRef: { resource: 'services', namespace: 'shop', name: 'web' } } },
    ],
    [
      'networking.k8s.io/v1 ServiceCIDR',
      ['10.96.0.0/16,fd00::/108', '5d'],
      { spec: { cidrs: ['10.96.0.0/16', 'fd00::/108'] } },
    ],
    ['storage.k8s.io/v1 StorageClass', ['p', 'Delete', 'Immediate', false, '5d'], { provisioner: 'p' }],
    ['storage.k8s.io/v1 CSIDriver', [true, false, false, '<unset>', false, '<none>', '5d'], { spec: {} }],
    [
      'storage.k8s.io/v1 CSIDriver',
      [false, true, true, 'a,b', true, 'Persistent,Ephemeral', '5d'],
      {
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          storageCapacity: true,
          tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
          requiresRepublish: true,
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        },
      },
    ],
    ['storage.k8s.io/v1 CSINode', [1, '5d'], { spec: { drivers: [{ name: 'd', nodeID: 'n' }] } }],
    ['storage.k8s.io/v1 CSIStorageCapacity', ['2026-01-01T00:00:00Z'], { storageClassName: 'fast' }],
    [
      'storage.k8s.io/v1 VolumeAttachment',
      ['csi', 'pv-1', 'node-1', true, '5d'],
      {
        spec: { attacher: 'csi', nodeName: 'node-1', source: { persistentVolumeName: 'pv-1' } },
        status: { attached: true },
      },
    ],
    ['storage.k8s.io/v1 VolumeAttributesClass', ['csi', '5d'], { driverName: 'csi' }],
    ['rbac.authorization.k8s.io/v1 Role', ['2026-01-01T00:00:00Z'], {}],
    [
      'rbac.authorization.k8s.io/v1 RoleBinding',
      ['ClusterRole/view', '5d', 'ann, bob', 'dev', 'shop/bot'],
      { roleRef, subjects },
    ],
    ['rbac.authorization.k8s.io/v1 ClusterRoleBinding', ['ClusterRole/view', '5d', '', '', ''], { roleRef }],
    ['scheduling.k8s.io/v1 PriorityClass', [1000, false, '5d', 'Never'], { value: 1000, preemptionPolicy: 'Never' }],
    [
      'scheduling.k8s.io/v1alpha2 PodGroup',
      ['Gang', 'train', 'Pending', '5d'],
      {
        spec: {
          schedulingPolicy: { gang: { minCount: 2 } },
          podGroupTemplateRef: { workload: { workloadName: 'train', podGroupTemplateName: 'w' } },
        },
      },
    ],
    ['coordination.k8s.io/v1 Lease', ['node-1', '5d'], { spec: { holderIdentity: 'node-1' } }],
    [
      'coordination.k8s.io/v1beta1 LeaseCandidate',
      ['l', '1.36.0', '1.35.0', '5d'],
      {
        spec: {
          leaseName: 'l',
          binaryVersion: '1.36.0',
          emulationVersion: '1.35.0',
          strategy: 'OldestEmulationVersion',
        },
      },
    ],
    ['discovery.k8s.io/v1 EndpointSlice', ['IPv4', '<unset>', '<unset>', '5d'], { addressType: 'IPv4', endpoints: [] }],
    [
      'discovery.k8s.io/v1 EndpointSlice',
      ['IPv4', '80,http,*', '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...', '5d'],
      {
        addressType: 'IPv4',
        ports: [{ port: 80 }, { name: 'http' }, {}],
        endpoints: [{ addresses: ['10.0.0.1', '10.0.0.2'] }, { addresses: ['10.0.0.3', '10.0.0.4'] }],
      },
    ],
    ['node.k8s.io/v1 RuntimeClass', ['runsc', '5d'], { handler: 'runsc' }],
    ['certificates.k8s.io/v1 CertificateSigningRequest', signed('Pending'), csr([])],
    ['certificates.k8s.io/v1 CertificateSigningRequest', signed('Approved'), csr(['Approved'])],
    ['certificates.k8s.io/v1 CertificateSigningRequest', signed('Approved,Issued'), csr(['Approved'], 'YQ==')],
    ['certificates.k8s.io/v1 CertificateSigningRequest', signed('Approved,Failed'), csr(['Approved', 'Failed'])],
    ['certificates.k8s.io/v1 CertificateSigningRequest', signed('Denied'), csr(['Denied'])],
    [
      'certificates.k8s.io/v1beta1 ClusterTrustBundle',
      ['example.com/s'],
      { spec: { signerName: 'example.com/s', trustBundle: '' } },
    ],
    ['admissionregistration.k8s.io/v1 MutatingWebhookConfiguration', [1, '5d'], { webhooks: [webhook] }],
    ['admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration', [0, '5d'], {}],
    ['admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy', [2, '<unset>', '5d'], { spec: { validations } }],
    [
      'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy',
      [1, 'v1/ConfigMap', '5d'],
      {
        spec: {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          reinvocationPolicy: 'Never',
          mutations: [{ patchType: 'JSONPatch' }],
        },
      },
    ],
    [
      'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding',
      ['p', '<unset>', '5d'],
      { spec: { policyName: 'p' } },
    ],
    [
      'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding',
      ['p', '*/c', '5d'],
      { spec: { policyName: 'p', paramRef: { ...paramRef, name: 'c' } } },
    ],
    [
      'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding',
      ['p', 'shop/c', '5d'],
      { spec: { policyName: 'p', paramRef: { ...paramRef, name: 'c', namespace: 'shop' } } },
    ],
    [
      'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding',
      [
        'p',
        '&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:c,Operator:In,Values:[d e],},},}',
        '5d',
      ],
      {
        spec: {
          policyName: 'p',
          paramRef: {
            ...paramRef,
            selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d', 'e'] }] },
          },
        },
      },
    ],
    ['apiregistration.k8s.io/v1 APIService', ['Local', 'Unknown', '5d'], { spec: apiService({}) }],
    [
      'apiregistration.k8s.io/v1 APIService',
      ['kube-system/metrics', 'False (MissingEndpoints)', '5d'],
      {
        spec: apiService({ service: { namespace: 'kube-system', name: 'metrics' } }),
        status: { conditions: [{ type: 'Available', status: 'False', reason: 'MissingEndpoints' }] },
      },
    ],
    [
      'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
      ['exempt', 1, '<none>', '5d', '?'],
      { spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1 } },
    ],
    [
      'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
      ['low', 9000, 'ByUser', '5d', 'False'],
      {
        spec: {
          priorityLevelConfiguration: { name: 'low' },
          matchingPrecedence: 9000,
          distinguisherMethod: { type: 'ByUser' },
        },
        status: { conditions: [{ type: 'Dangling', status: 'False' }] },
      },
    ],
    [
      'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration',
      ['Exempt', '<none>', '<none>', '<none>', '<none>', '5d'],
      { spec: { type: 'Exempt' } },
    ],
    [
      'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration',
      ['Limited', 40, 64, 6, 50, '5d'],
      {
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 40,
            limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
          },
        },
      },
    ],
    ['resource.k8s.io/v1 DeviceClass', ['5d'], { spec: {} }],
    ['resource.k8s.io/v1 ResourceClaimTemplate', ['5d'], { spec: { spec: {} } }],
    ['resource.k8s.io/v1 ResourceClaim', ['pending', '5d'], { spec: {} }],
    ['resource.k8s.io/v1 ResourceClaim', ['deleted', '5d'], { spec: {}, metadata: deleted }],
    ['resource.k8s.io/v1 ResourceClaim', ['allocated', '5d'], { spec: {}, status: allocation }],
    [
      'resource.k8s.io/v1 ResourceClaim',
      ['deleted,allocated,reserved', '5d'],
      {
        spec: {},
        metadata: deleted,
        status: { ...allocation, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] },
      },
    ],
    [
      'resource.k8s.io/v1 ResourceSlice',
      ['node-1', 'gpu', 'pool', '5d'],
      { spec: { nodeName: 'node-1', driver: 'gpu', pool: { name: 'pool', generation: 1, resourceSliceCount: 1 } } },
    ],
    [
      'resource.k8s.io/v1beta2 DeviceTaintRule',
      ['broken', '', 'NoExecute', '24h', '5d'],
      { spec: { taint: { key: 'broken', effect: 'NoExecute', timeAdded: '2026-01-05T00:00:00Z' } } },
    ],
    [
      'resource.k8s.io/v1alpha3 ResourcePoolStatusRequest',
      ['gpu', '6', '3', '2', '1', '1', 2, 'Complete', '24h'],
      {
        spec: { driver: 'gpu' },
        status: {
          poolCount: 2,
          conditions: [
            {
              type: 'Complete',
              status: 'True',
              reason: 'Done',
              message: '',
              lastTransitionTime: '2026-01-05T00:00:00Z',
            },
          ],
          pools: [
            { ...pool('a'), totalDevices: 4, availableDevices: 2, allocatedDevices: 1, unavailableDevices: 1 },
            { ...pool('b'), totalDevices: 2, availableDevices: 1, allocatedDevices: 1, validationError: 'incomplete' },
          ],
        },
      },
    ],
    [
      'storagemigration.k8s.io/v1beta1 StorageVersionMigration',
      ['deployments.apps', 'Succeeded'],
      {
        spec: { resource: { group: 'apps', resource: 'deployments' } },
        status: { conditions: [{ type: 'Succeeded', status: 'True', reason: '', message: '' }] },
      },
    ],
    [
      'internal.apiserver.k8s.io/v1alpha1 StorageVersion',
      ['<unset>', 'a=v1,b=v1,c=v1 + 1 more...', '5d'],
      {
        spec: {},
        status: {
          storageVersions: ['a', 'b', 'c', 'd'].map((apiServerID) => ({
            apiServerID,
            encodingVersion: 'v1',
            decodableVersions: ['v1'],
          })),
        },
      },
    ],
  ])('show a %s as %j', (type, cells, object) => {
    const [apiVersion = '', kind = ''] = type.split(' ');
    expect(cellsOf({ apiVersion, kind, ...object })).toEqual(['x', ...cells]);
  });

  it('mark the storage class that is the default', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const storageClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'p' };
    expect(cellsOf({ ...storageClass, metadata: { annotations } })[0]).toBe('x (default)');
  });
});

function pdb(disruptionsAllowed: number): object {
  return { disruptionsAllowed, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 };
}

function signed(condition: string): readonly unknown[] {
  return ['5d', 'example.com/s', 'ann', '60m', condition];
}

function apiService(more: object): object {
  return { groupPriorityMinimum: 100, versionPriority: 100, ...more };
}

function pool(poolName: string): object {
  return { driver: 'gpu', poolName, generation: 1 };
}
