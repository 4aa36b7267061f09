import { describe, expect, test } from 'vitest';
import { accessDenied } from '../filters/authorize.js';
import { MemoryObjects } from '../memory-objects.fixture.js';
import { accessTo, jane } from './access.fixture.js';
import type { Authorizer, Decision } from './authorizer.js';
import { authorizerByMode, privilegedGroup, union } from './authorizers.js';

describe('AUTHZ-01 several modes', () => {
  test('AUTHZ-02 AUTHZ-06 the first that decides ends it, and reasons of the others are reported', () => {
    const allow = { name: 'a', authorize: () => ({ kind: 'allow', reason: 'yes' }) as const };
    const deny = { name: 'd', authorize: () => ({ kind: 'deny', reason: 'never' }) as const };
    const alwaysDeny = authorizerByMode['AlwaysDeny']?.(new MemoryObjects()) as Authorizer;
    const access = accessTo('get pods a');

    expect([
      union([alwaysDeny, allow]).authorize(access),
      union([deny, allow]).authorize(access),
      union([alwaysDeny, alwaysDeny]).authorize(access),
    ]).toEqual([
      { kind: 'allow', reason: 'yes' },
      { kind: 'deny', reason: 'never' },
      { kind: 'no-opinion', reason: 'Everything is forbidden.\nEverything is forbidden.' },
    ]);
  });

  test('AUTHZ-03 AUTHZ-05 the rules of a user are those of all authorizers', () => {
    const modes = ['AlwaysDeny', 'AlwaysAllow', 'ABAC'].map((mode) =>
      authorizerByMode[mode]?.(new MemoryObjects(), { policies: '{"user":"jane","resource":"pods"}' }),
    );
    expect(union(modes as Authorizer[]).rulesFor?.(jane, 'default')).toEqual({
      resourceRules: [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], apiGroups: ['*'], resources: ['pods'] },
      ],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    });
  });

  test('AUTHZ-07 policies are needed for their mode', () => {
    expect(() => authorizerByMode['ABAC']?.(new MemoryObjects())).toThrow('policy file not passed');
  });

  test('AUTHZ-23 administrators may do everything', () => {
    const admin = { name: 'root', groups: ['system:masters'] };

    expect(privilegedGroup.authorize(accessTo('delete nodes a', { user: admin })).kind).toBe('allow');
  });

  test.each([
    {
      access: accessTo('list pods'),
      message: 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    },
    {
      access: accessTo('get pods/log a'),
      message:
        'pods "a" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "default"',
    },
    {
      access: accessTo('get nodes a', { namespace: '' }),
      message: 'nodes "a" is forbidden: User "jane" cannot get resource "nodes" in API group "" at the cluster scope',
    },
    {
      access: accessTo('get deployments a', { group: 'apps' }),
      message:
        'deployments.apps "a" is forbidden: User "jane" cannot get resource "deployments" in API group "apps" in the namespace "default"',
    },
    { access: accessTo('get /metrics'), message: 'forbidden: User "jane" cannot get path "/metrics"' },
  ])('a refusal reads: $message', ({ access, message }) => {
    expect(accessDenied(access, '').message).toBe(message);
  });
});

test('an asynchronous authorizer keeps its place in the order', async () => {
  const later = (decision: Decision): Authorizer => ({ name: 'Later', authorize: async () => decision });
  const undecided = later({ kind: 'no-opinion', reason: 'asked' });
  const { authorize } = union([undecided, authorizerByMode['AlwaysAllow']?.(new MemoryObjects()) as Authorizer]);
  expect(authorize(accessTo('get pods a'))).toBeInstanceOf(Promise);
  expect(await authorize(accessTo('get pods a'))).toEqual({ kind: 'allow', reason: '' });
  expect(await union([undecided, undecided]).authorize(accessTo('get pods a'))).toEqual({
    kind: 'no-opinion',
    reason: 'asked\nasked',
  });
});
