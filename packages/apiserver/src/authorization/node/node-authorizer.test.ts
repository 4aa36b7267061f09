import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import type { UserInfo } from '../../user-info.js';
import { accessTo } from '../access.fixture.js';
import { nodeAuthorizer } from './node-authorizer.js';

describe('AUTHZ Node', () => {
  const node: UserInfo = { name: 'system:node:n1', groups: ['system:nodes'] };
  const pod = (name: string, nodeName: string, spec: object, status: object = {}): KubeObject =>
    ({
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { nodeName, containers: [], ...spec },
      status,
    }) as KubeObject;
  const objects = new MemoryObjects([
    pod('mine', 'n1', {
      serviceAccountName: 'bot',
      imagePullSecrets: [{ name: 'pull' }],
      volumes: [
        { secret: { secretName: 'vol' } },
        { persistentVolumeClaim: { claimName: 'data' } },
        { projected: { sources: [{ configMap: { name: 'ca' } }] } },
      ],
      containers: [
        {
          name: 'c',
          env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } }],
          envFrom: [{ configMapRef: { name: 'conf' } }],
        },
      ],
    }),
    pod(
      'claiming',
      'n1',
      { resourceClaims: [{ name: 'a', resourceClaimName: 'named' }] },
      {
        resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'generated' }],
        extendedResourceClaimStatus: { resourceClaimName: 'extended', requestMappings: [] },
      },
    ),
    pod('other', 'n2', { volumes: [{ secret: { secretName: 'foreign' } }] }),
    {
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: { claimRef: { namespace: 'default', name: 'data' } },
    } as KubeObject,
  ]);
  const authorizer = nodeAuthorizer(objects);
  const allowed = (text: string, more: { namespace?: string; group?: string; fieldSelector?: string } = {}) =>
    authorizer.authorize({
      ...accessTo(text, { user: node, ...more }),
      ...(more.fieldSelector && { fieldSelector: more.fieldSelector }),
    }).kind === 'allow';

  test.each([
    'get secrets vol',
    'get secrets env',
    'get secrets pull',
    'get configmaps conf',
    'get configmaps ca',
    'watch secrets vol',
    'get persistentvolumeclaims data',
    'create serviceaccounts/token bot',
    'get pods mine',
    'create pods mirror',
    'update pods/status mine',
    'create events e',
  ])('may %s', (text) => {
    expect(allowed(text)).toBe(true);
  });

  test.each([
    'get secrets foreign',
    'list secrets',
    'delete secrets vol',
    'get configmaps unknown',
    'get pods other',
    'list pods',
    'create serviceaccounts/token admin',
    'update persistentvolumeclaims data',
  ])('may not %s', (text) => {
    expect(allowed(text)).toBe(false);
  });

  test.each([
    ['named', true],
    ['generated', true],
    ['extended', true],
    ['foreign', false],
  ])('reads the claims of its pods: %s %s', (name, expected) => {
    expect(allowed(`get resourceclaims ${name}`, { group: 'resource.k8s.io' })).toBe(expected);
  });

  test('reads its own Node, lease, volumes and pods, and no other node’s', () => {
    const lease = { namespace: 'kube-node-lease', group: 'coordination.k8s.io' };

    expect([
      allowed('get nodes n1', { namespace: '' }),
      allowed('get nodes n2', { namespace: '' }),
      allowed('update leases n1', lease),
      allowed('update leases n2', lease),
      allowed('get leases n1', { ...lease, namespace: 'default' }),
      allowed('get persistentvolumes pv', { namespace: '' }),
      allowed('list pods', { fieldSelector: 'spec.nodeName=n1' }),
      allowed('list pods', { fieldSelector: 'spec.nodeName=n2' }),
      allowed('list pods', { fieldSelector: 'spec.nodeName!=x\\,spec.nodeName=n1' }),
    ]).toEqual([true, false, true, false, false, true, true, false, false]);
  });

  test('other requests get no opinion', () => {
    expect([
      authorizer.authorize(accessTo('get secrets vol')),
      authorizer.authorize(accessTo('get secrets vol', { user: { name: 'system:node:n1', groups: [] } })),
    ]).toEqual([
      { kind: 'no-opinion', reason: '' },
      { kind: 'no-opinion', reason: '' },
    ]);
  });
});
