import { type KubeObject, StatusError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { ObjectReader } from '../../registry/object-reader.js';
import type { AdmissionAttributes, AdmissionOperation } from '../admission.js';
import { nodeRestriction } from './node-restriction.js';

const ownPod = { metadata: { name: 'own', uid: 'u1' }, spec: { nodeName: 'n1', serviceAccountName: 'bot' } };
const otherPod = { metadata: { name: 'other', uid: 'u2' }, spec: { nodeName: 'n2', serviceAccountName: 'bot' } };
const stored: Record<string, KubeObject> = { own: ownPod, other: otherPod };

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

/** Why the node `n1` may not do this; `undefined` if it may. */
function refusal(operation: AdmissionOperation, attempt: Attempt, user = 'system:node:n1'): string | undefined {
  const { resource = 'pods', group = '', subresource = '', namespace = 'default', name = 'x' } = attempt;
  const attributes: AdmissionAttributes = {
    operation,
    resource: { group, version: 'v1', resource },
    kind: { group, version: 'v1', kind: '' },
    subresource,
    namespace,
    name,
    object: attempt.object as KubeObject | undefined,
    oldObject: attempt.oldObject as KubeObject | undefined,
    options: {},
    dryRun: false,
    user: { name: user, groups: user.startsWith('system:node:') ? ['system:nodes'] : [] },
    warn: () => {},
  };
  const plugin = nodeRestriction({ objects });
  if (!plugin.handles(attributes)) return undefined;
  try {
    void plugin.validate?.(attributes);
    return undefined;
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    return error.status.message?.replace(/^.*? is forbidden: /, '');
  }
}

describe('what a node may do with pods', () => {
  const mirror = { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } }, spec: { nodeName: 'n1' } };
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
    ['delete its own', 'DELETE', { oldObject: ownPod }, undefined],
    [
      'not delete those of others',
      'DELETE',
      { oldObject: otherPod },
      'node "n1" can only delete pods with spec.nodeName set to itself, found "n2"',
    ],
    ['write the status of its own', 'UPDATE', { subresource: 'status', object: ownPod, oldObject: ownPod }, undefined],
    [
      'not write that of others',
      'UPDATE',
      { subresource: 'status', object: otherPod, oldObject: otherPod },
      'node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    ['evict its own', 'CREATE', { subresource: 'eviction', name: 'own' }, undefined],
  ])('%s', (_name, operation, attempt, why) => expect(refusal(operation, attempt)).toBe(why));
});

describe('what a node may do with nodes', () => {
  const node = (labels: Record<string, string> = {}, taints: unknown[] = []) => ({
    metadata: { name: 'n1', labels },
    spec: { taints },
  });
  const change = (object: unknown, oldObject: unknown) =>
    refusal('UPDATE', { resource: 'nodes', namespace: '', name: 'n1', object, oldObject });

  test('change itself, and nobody else', () => {
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
    ['node-restriction.kubernetes.io/x', 'node "n1" is not allowed to modify labels: node-restriction.kubernetes.io/x'],
    ['node-role.kubernetes.io/x', 'node "n1" is not allowed to modify labels: node-role.kubernetes.io/x'],
  ])('label %s', (label, why) => expect(change(node({ [label]: '' }), node())).toBe(why));
});

describe('what a node may do with what belongs to it', () => {
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
    expect(refusal('CREATE', bound('own', 'u1'))).toBeUndefined();
    expect(refusal('CREATE', token())).toBe('node requested token not bound to a pod');
    expect(refusal('CREATE', bound('other', 'u2'))).toBe(
      'node requested token bound to a pod scheduled on a different node',
    );
  });
});

test('nobody else is restricted', () => {
  expect(refusal('DELETE', { oldObject: otherPod }, 'ann')).toBeUndefined();
});
