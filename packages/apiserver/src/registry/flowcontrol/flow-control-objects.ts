import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { WantedObject } from '../wanted-object.js';

/** Annotation of the objects that the server keeps up to date, unless a user sets it to false. */
const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

/**
 * [name, shares, lendable percent, queues, hand size, queue length]. Without queues, requests beyond the limit are
 * rejected.
 */
type LevelRow = readonly [string, number, number, number?, number?, number?];

const levelRows: readonly LevelRow[] = [
  ['catch-all', 5, 0],
  ['system', 30, 33, 64, 6, 50],
  ['node-high', 40, 25, 64, 6, 50],
  ['leader-election', 10, 0, 16, 4, 50],
  ['workload-high', 40, 50, 128, 6, 50],
  ['workload-low', 100, 90, 128, 6, 50],
  ['global-default', 20, 50, 128, 6, 50],
];

export const priorityLevels: readonly WantedObject[] = [
  level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  ...levelRows.map(([name, nominalConcurrencyShares, lendablePercent, queues, handSize, queueLengthLimit]) => {
    const limitResponse =
      queues === undefined ? { type: 'Reject' } : { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } };
    return level(name, { type: 'Limited', limited: { nominalConcurrencyShares, lendablePercent, limitResponse } });
  }),
];

function level(name: string, spec: object): WantedObject {
  return { ref: refs.priorityLevelConfigurations, object: makeObject(name, spec) };
}

type Subject = Readonly<Record<string, unknown>>;

const group = (name: string): Subject => ({ kind: 'Group', group: { name } });
const user = (name: string): Subject => ({ kind: 'User', user: { name } });
const account = (name: string): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { name, namespace: 'kube-system' },
});

const everyone = [group('system:unauthenticated'), group('system:authenticated')];
const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const leases = {
  resourceRules: [
    {
      verbs: ['get', 'create', 'update'],
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      namespaces: ['*'],
    },
  ],
};
const endpoints = {
  resourceRules: [
    {
      verbs: ['get', 'create', 'update'],
      apiGroups: [''],
      resources: ['endpoints'],
      namespaces: ['*'],
    },
  ],
};
const nodeStatus = {
  resourceRules: [
    { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
    { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] },
  ],
};
const probes = { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] };

/** [name, precedence, priority level, flow distinguisher, subjects, requests] */
type SchemaRow = readonly [string, number, string, string | undefined, readonly Subject[], object];

const schemaRows: readonly SchemaRow[] = [
  ['exempt', 1, 'exempt', undefined, [group('system:masters')], everything],
  ['probes', 2, 'exempt', undefined, everyone, probes],
  [
    'system-leader-election',
    100,
    'leader-election',
    'ByUser',
    [user('system:kube-controller-manager'), user('system:kube-scheduler'), account('*')],
    leases,
  ],
  [
    'endpoint-controller',
    150,
    'workload-high',
    'ByUser',
    [
      user('system:kube-controller-manager'),
      account('endpoint-controller'),
      account('endpointslicemirroring-controller'),
    ],
    endpoints,
  ],
  ['workload-leader-election', 200, 'leader-election', 'ByUser', [account('*')], leases],
  ['system-node-high', 400, 'node-high', 'ByUser', [group('system:nodes')], nodeStatus],
  ['system-nodes', 500, 'system', 'ByUser', [group('system:nodes')], everything],
  [
    'kube-controller-manager',
    800,
    'workload-high',
    'ByNamespace',
    [user('system:kube-controller-manager')],
    everything,
  ],
  ['kube-scheduler', 800, 'workload-high', 'ByNamespace', [user('system:kube-scheduler')], everything],
  ['kube-system-service-accounts', 900, 'workload-high', 'ByNamespace', [account('*')], everything],
  ['service-accounts', 9000, 'workload-low', 'ByUser', [group('system:serviceaccounts')], everything],
  ['global-default', 9900, 'global-default', 'ByUser', everyone, everything],
  ['catch-all', 10000, 'catch-all', 'ByUser', everyone, everything],
];

export const flowSchemas: readonly WantedObject[] = schemaRows.map(
  ([name, matchingPrecedence, level, method, subjects, access]) => ({
    ref: refs.flowSchemas,
    object: makeObject(name, {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(method !== undefined && { distinguisherMethod: { type: method } }),
      rules: [{ subjects, ...access }],
    }),
  }),
);

function makeObject(name: string, spec: object): KubeObject {
  return { metadata: { name, annotations }, spec } as KubeObject;
}
