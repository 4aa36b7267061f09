import { type KubeObject, StatusError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { Authorizer } from '../../authorization/authorizer.js';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionOperation } from '../admission.js';
import { plainVersion } from './admit.fixture.js';
import { mastersRequest } from './masters-request.fixture.js';
import { nodeRestriction } from './node-restriction.js';

const ownPod = { metadata: { name: 'own', uid: 'u1' }, spec: { nodeName: 'n1', serviceAccountName: 'bot' } };
const otherPod = { metadata: { name: 'other', uid: 'u2' }, spec: { nodeName: 'n2', serviceAccountName: 'bot' } };
const speaking = {
  ...ownPod,
  spec: {
    ...ownPod.spec,
    volumes: [
      { name: 'a', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { name: 'b', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } },
      { name: 'c', csi: { driver: 'csi.example.com' } },
    ],
  },
};
const stored: Record<string, KubeObject> = {
  own: ownPod,
  other: otherPod,
  speaking,
  n1: { metadata: { name: 'n1', uid: 'n1-uid' } },
  bot: { metadata: { name: 'bot', uid: 'bot-uid' } },
  'csi.example.com': { metadata: {}, spec: { tokenRequests: [{ audience: 'disks' }] } } as KubeObject,
};
const authorizer: Authorizer = {
  name: 'Audiences',
  authorize: ({ verb, resource }) => ({
    kind: verb === 'request-serviceaccounts-token-audience' && resource === 'granted' ? 'allow' : 'no-opinion',
    reason: '',
  }),
};

const objects: ObjectReader = {
  get: (_ref, _namespace, name) => stored[name] as never,
  list: () => [],
  getFresh: async () => undefined,
  generation: () => 0,
};

interface Attempt {
  readonly resource?: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
}

/** Why the node `n1` may not make this write; `undefined` if it may. */
function refusal(operation: AdmissionOperation, attempt: Attempt, user = 'system:node:n1'): string | undefined {
  const { resource = 'pods', group = '', subresource = '', namespace = 'default', name = 'x' } = attempt;
  const attributes: AdmissionAttributes = {
    operation,
    resource: { group, version: 'v1', resource },
    kind: { group, version: 'v1', kind: '' },
    requested: plainVersion(group, resource, ''),
    equivalents: [],
    subresource,
    isNamespaced: true,
    namespace,
    name,
    object: attempt.object as KubeObject | undefined,
    oldObject: attempt.oldObject as KubeObject | undefined,
    options: {},
    dryRun: false,
    user: { name: user, groups: user.startsWith('system:node:') ? ['system:nodes'] : [] },
    warn: () => {},
  };
  const plugin = nodeRestriction({ objects, authorizer });
  if (!plugin.handles(attributes) || !plugin.concerns?.(attributes)) return undefined;
  try {
    void plugin.validate?.(attributes);
    return undefined;
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    return error.status.message?.replace(/^.*? is forbidden: /, '');
  }
}

describe('AUTHZ-28 permissions of a node on pods', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'n1-uid', controller: true };
  const metadata = { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner] };
  const mirror = { metadata, spec: { nodeName: 'n1' } };
  const ownedBy = (...ownerReferences: object[]) => ({
    object: { ...mirror, metadata: { ...metadata, ownerReferences } },
  });
  const projecting = (source: object) => ({
    object: { ...mirror, spec: { nodeName: 'n1', volumes: [{ name: 'v', projected: { sources: [source] } }] } },
  });
  test.each<[string, AdmissionOperation, Attempt, string | undefined]>([
    ['make a mirror of its own', 'CREATE', { object: mirror }, undefined],
    [
      'not make a pod of its own',
      'CREATE',
      { object: { metadata: {}, spec: { nodeName: 'n1' } } },
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    [
      'not make a mirror elsewhere',
      'CREATE',
      { object: { ...mirror, spec: { nodeName: 'n2' } } },
      'node "n1" can only create pods with spec.nodeName set to itself',
    ],
    [
      'not make a mirror that reads a secret',
      'CREATE',
      { object: { ...mirror, spec: { nodeName: 'n1', volumes: [{ name: 'v', secret: { secretName: 's' } }] } } },
      'node "n1" can not create pods that reference secrets',
    ],
    [
      'not make a mirror pod without an owner',
      'CREATE',
      ownedBy(),
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      'nor to others too',
      'CREATE',
      ownedBy(owner, owner),
      'node "n1" can only create pods with a single owner reference set to itself',
    ],
    [
      'nor that is not its own to delete',
      'CREATE',
      ownedBy({ ...owner, controller: false }),
      'node "n1" can only create pods with a controller owner reference set to itself',
    ],
    [
      'nor that holds it up',
      'CREATE',
      ownedBy({ ...owner, blockOwnerDeletion: true }),
      'node "n1" must not set blockOwnerDeletion on an owner reference',
    ],
    [
      'nor of a node that was there before',
      'CREATE',
      ownedBy({ ...owner, uid: 'old' }),
      'node n1 UID mismatch: expected old got n1-uid',
    ],
    [
      'not make a mirror that trusts others',
      'CREATE',
      projecting({ clusterTrustBundle: { path: 'a', name: 'b' } }),
      'node "n1" can not create pods that reference clustertrustbundles',
    ],
    ...(
      [
        [{ serviceAccountName: 'bot' }, 'serviceaccounts'],
        [{ imagePullSecrets: [{ name: 's' }] }, 'secrets'],
        [{ ephemeralContainers: [{ name: 'e', envFrom: [{ configMapRef: { name: 'c' } }] }] }, 'configmaps'],
        [{ resourceClaims: [{ name: 'r' }] }, 'resourceclaims'],
        [{ volumes: [{ name: 'v', csi: { driver: 'd' } }] }, 'csidrivers (via CSI volumes)'],
        [{ volumes: [{ name: 'v', ephemeral: {} }] }, 'persistentvolumeclaims (via ephemeral volumes)'],
        [
          { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
          'serviceaccounts (via projected volumes)',
        ],
      ] as const
    ).map(([spec, what]): [string, AdmissionOperation, Attempt, string] => [
      `not make a mirror that needs ${what}`,
      'CREATE',
      { object: { ...mirror, spec: { nodeName: 'n1', ...spec } } },
      `node "n1" can not create pods that reference ${what}`,
    ]),
    [
      'make a mirror that needs nothing of others',
      'CREATE',
      {
        object: {
          ...mirror,
          spec: {
            nodeName: 'n1',
            volumes: [
              { name: 'a', hostPath: { path: '/' } },
              { name: 'b', projected: { sources: [{ downwardAPI: {} }] } },
            ],
          },
        },
      },
      undefined,
    ],
    ['delete its own', 'DELETE', { oldObject: ownPod }, undefined],
    [
      'not delete those of others',
      'DELETE',
      { oldObject: otherPod },
      'node "n1" can only delete pods with spec.nodeName set to itself',
    ],
    ['write the status of its own', 'UPDATE', { subresource: 'status', object: ownPod, oldObject: ownPod }, undefined],
    [
      'not write that of others',
      'UPDATE',
      { subresource: 'status', object: otherPod, oldObject: otherPod },
      'node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      'not tell which claims were made for its own',
      'UPDATE',
      {
        subresource: 'status',
        object: { ...ownPod, status: { resourceClaimStatuses: [{ name: 'r', resourceClaimName: 'c' }] } },
        oldObject: ownPod,
      },
      'node "n1" cannot update resource claim statues',
    ],
    ['evict its own', 'CREATE', { subresource: 'eviction', name: 'own' }, undefined],
    [
      'not evict those of others',
      'CREATE',
      { subresource: 'eviction', name: 'other' },
      'node n1 can only evict pods with spec.nodeName set to itself',
    ],
  ])('%s', (_name, operation, attempt, why) => expect(refusal(operation, attempt)).toBe(why));
});

describe('AUTHZ-28 permissions of a node on nodes', () => {
  const node = (labels: Record<string, string> = {}, taints: unknown[] = []) => ({
    metadata: { name: 'n1', labels },
    spec: { taints },
  });
  const change = (object: unknown, oldObject: unknown) =>
    refusal('UPDATE', { resource: 'nodes', namespace: '', name: 'n1', object, oldObject });

  test('change itself, and no other node', () => {
    expect(change(node(), node())).toBeUndefined();
    expect(refusal('UPDATE', { resource: 'nodes', name: 'n2', object: node(), oldObject: node() })).toBe(
      'node "n1" is not allowed to modify node "n2"',
    );
  });

  test('not lift its own taints', () => {
    const tainted = node({}, [{ key: 'a', effect: 'NoSchedule' }]);
    expect(change(node(), tainted)).toBe('node "n1" is not allowed to modify taints');
  });

  test.each([
    ['example.com/own', undefined],
    ['kubernetes.io/hostname', undefined],
    ['kubelet.kubernetes.io/x', undefined],
    ['node-restriction.kubernetes.io/x', 'is not allowed to modify labels: node-restriction.kubernetes.io/x'],
    ['node-role.kubernetes.io/x', 'is not allowed to modify labels: node-role.kubernetes.io/x'],
  ])('label %s', (label, why) => expect(change(node({ [label]: '' }), node())).toBe(why));
});

describe('AUTHZ-28 permissions of a node on its other objects', () => {
  test('its lease is the one of its name', () => {
    const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease' };
    expect(refusal('UPDATE', { ...lease, name: 'n1' })).toBeUndefined();
    expect(refusal('UPDATE', { ...lease, name: 'n2' })).toBe(
      'can only access node lease with the same name as the requesting node',
    );
    expect(refusal('UPDATE', { ...lease, namespace: 'default', name: 'n1' })).toBe(
      'can only access leases in the "kube-node-lease" system namespace',
    );
  });

  test('tokens are for its pods', () => {
    const token = (boundObjectRef?: object) => ({
      resource: 'serviceaccounts',
      subresource: 'token',
      name: 'bot',
      object: { metadata: {}, spec: { boundObjectRef } },
    });
    const bound = (name: string, uid: string) => token({ kind: 'Pod', apiVersion: 'v1', name, uid });
    expect(refusal('CREATE', bound('speaking', 'u1'))).toBeUndefined();
    expect(refusal('CREATE', bound('own', 'u1'))).toBe('audience "" not found in pod spec volume');
    expect(refusal('CREATE', bound('gone', 'u1'))).toBe('pods "gone" not found');
    expect(refusal('CREATE', token())).toBe('node requested token not bound to a pod');
    expect(refusal('CREATE', bound('other', 'u2'))).toBe(
      'node requested token bound to a pod scheduled on a different node',
    );
  });
});

test('AUTHZ-28 tokens are for audiences of its pods, or allowed ones', () => {
  const ask = (...audiences: string[]) =>
    refusal('CREATE', {
      resource: 'serviceaccounts',
      subresource: 'token',
      name: 'bot',
      object: {
        metadata: {},
        spec: { audiences, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'speaking', uid: 'u1' } },
      },
    });
  expect([ask('vault'), ask('disks'), ask('granted'), ask('bank'), ask('vault', 'disks')]).toEqual([
    undefined,
    undefined,
    undefined,
    'audience "bank" not found in pod spec volume',
    'node may only request 0 or 1 audiences',
  ]);
});

test('AUTHZ-28 a node reports the progress of the expansion of a claim', () => {
  const claim = (status: object, labels = {}) => ({
    metadata: { labels },
    spec: {},
    status: { phase: 'Bound', ...status },
  });
  const change = (object: object, subresource = 'status') =>
    refusal('UPDATE', { resource: 'persistentvolumeclaims', subresource, object, oldObject: claim({}) });
  expect(change(claim({ capacity: { storage: '2Gi' }, conditions: [] }))).toBeUndefined();
  expect(change(claim({}, { a: 'b' }))).toContain('is not allowed to update fields other than status.quantity');
  expect(change(claim({}), '')).toBe('may only update PVC status');
});

test('AUTHZ-28 its devices are in slices with its name', () => {
  const slice = (nodeName: string) => ({ metadata: {}, spec: { nodeName } });
  const at = { group: 'resource.k8s.io', resource: 'resourceslices' };
  expect(refusal('CREATE', { ...at, object: slice('n1') })).toBeUndefined();
  expect(refusal('CREATE', { ...at, object: slice('n2') })).toBe(
    'can only create ResourceSlice with the same NodeName as the requesting node',
  );
  expect(refusal('DELETE', { ...at, oldObject: slice('n2') })).toBe(
    'can only delete ResourceSlice with the same NodeName as the requesting node',
  );
});

test('AUTHZ-28 it requests certificates in its own name', () => {
  const ask = (request: string, signerName = 'kubernetes.io/kubelet-serving') =>
    refusal('CREATE', {
      group: 'certificates.k8s.io',
      resource: 'certificatesigningrequests',
      object: { metadata: {}, spec: { signerName, request: btoa(request) } },
    });
  expect(ask(mastersRequest)).toBe('can only create a node CSR with CN=system:node:n1');
  expect(ask('gibberish')).toBe('unable to parse csr: asn1: syntax error: data truncated');
  expect(ask(mastersRequest, 'example.com/own')).toBeUndefined();
});

test('other users are not restricted', () => {
  expect(refusal('DELETE', { oldObject: otherPod }, 'ann')).toBeUndefined();
});

describe('AUTHZ-28 for a pod a node requests a certificate', () => {
  const good = {
    nodeName: 'n1',
    nodeUID: 'n1-uid',
    podName: 'own',
    podUID: 'u1',
    serviceAccountName: 'bot',
    serviceAccountUID: 'bot-uid',
  };
  test.each([
    ['that it runs', {}, undefined],
    [
      'not in the name of another node',
      { nodeName: 'n2' },
      'PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"',
    ],
    [
      'not of a node that was there before',
      { nodeUID: 'old' },
      'PodCertificateRequest for pod "default/own" names node UID "old", inconsistent with the running node ("n1-uid")',
    ],
    [
      'not for one that is gone',
      { podUID: 'old' },
      'PodCertificateRequest for pod "default/own" contains pod UID ("old") which differs from running pod "u1"',
    ],
    [
      'not for one that another runs',
      { podName: 'other', podUID: 'u2' },
      'pod "default/other" is not running on node "n1" named in the PodCertificateRequest',
    ],
    [
      'not for another account',
      { serviceAccountName: 'boss' },
      'PodCertificateRequest for pod "default/own" contains serviceAccountName ("boss") that differs from running pod ("bot")',
    ],
    [
      'not for an account that is gone',
      { serviceAccountUID: 'old' },
      'PodCertificateRequest for pod "default/own" names service account UID "old", which differs from the running service account ("bot-uid")',
    ],
  ])('%s', (_name, changes, why) => {
    const object = { metadata: {}, spec: { ...good, ...changes } };
    const at = { group: 'certificates.k8s.io', resource: 'podcertificaterequests', object };
    expect(refusal('CREATE', at)).toBe(why);
  });
});
