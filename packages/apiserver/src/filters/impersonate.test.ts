import { describe, expect, test } from 'vitest';
import type { AccessAttributes, Authorizer } from '../authorization/authorizer.js';
import type { RequestContext } from '../handler-chain.js';
import { impersonate } from './impersonate.js';

/** Who the request is made as in the end, and what had to be allowed for it. */
async function act(headers: Record<string, string>, refuse?: string) {
  const asked: string[] = [];
  const authorizer: Authorizer = {
    name: 'test',
    authorize: ({ verb, group, resource, subresource, namespace, name }: AccessAttributes) => {
      const access = `${verb} ${[group, resource, subresource].filter(Boolean).join('/')} ${namespace ? `${namespace}/` : ''}${name}`;
      asked.push(access);
      return access === refuse ? { kind: 'no-opinion', reason: '' } : { kind: 'allow', reason: '' };
    },
  };
  // All of a request that the filter looks at.
  const context = { request: { headers }, user: { name: 'root', groups: [] } } as unknown as RequestContext;
  try {
    await impersonate(authorizer)(async () => undefined as never)(context);
  } catch (error) {
    return { error: (error as Error).message };
  }
  return { user: context.user, asked };
}

describe('FILTER impersonation', () => {
  const cases: { name: string; headers: Record<string, string>; user: object; asked: string[] }[] = [
    { name: 'nobody is impersonated without being named', headers: {}, user: { name: 'root', groups: [] }, asked: [] },
    {
      name: 'a user',
      headers: { 'impersonate-user': 'jane' },
      user: { name: 'jane', groups: ['system:authenticated'] },
      asked: ['impersonate users jane'],
    },
    {
      name: 'a user with groups, each of which must be allowed',
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'dev, ops' },
      user: { name: 'jane', groups: ['dev', 'ops', 'system:authenticated'] },
      asked: ['impersonate users jane', 'impersonate groups dev', 'impersonate groups ops'],
    },
    {
      name: 'a service account has its groups',
      headers: { 'impersonate-user': 'system:serviceaccount:x:bot' },
      user: {
        name: 'system:serviceaccount:x:bot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:x', 'system:authenticated'],
      },
      asked: ['impersonate serviceaccounts x/bot'],
    },
    {
      name: 'unless groups are named',
      headers: { 'impersonate-user': 'system:serviceaccount:x:bot', 'impersonate-group': 'dev' },
      user: { name: 'system:serviceaccount:x:bot', groups: ['dev', 'system:authenticated'] },
      asked: ['impersonate serviceaccounts x/bot', 'impersonate groups dev'],
    },
    {
      name: 'a uid and more, whose keys may be escaped',
      headers: { 'impersonate-user': 'jane', 'impersonate-uid': '7', 'impersonate-extra-acme.com%2fproject': 'a' },
      user: { name: 'jane', uid: '7', groups: ['system:authenticated'], extra: { 'acme.com/project': ['a'] } },
      asked: [
        'impersonate users jane',
        'impersonate authentication.k8s.io/uids 7',
        'impersonate authentication.k8s.io/userextras/acme.com/project a',
      ],
    },
    {
      name: 'nobody in particular is not authenticated',
      headers: { 'impersonate-user': 'system:anonymous' },
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
      asked: ['impersonate users system:anonymous'],
    },
    {
      name: 'a user who is named as not authenticated stays so',
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'system:unauthenticated' },
      user: { name: 'jane', groups: ['system:unauthenticated'] },
      asked: ['impersonate users jane', 'impersonate groups system:unauthenticated'],
    },
  ];

  test.each(cases)('$name', async ({ headers, user, asked }) => {
    expect(await act(headers)).toEqual({ user, asked });
  });

  test.each<Record<string, string>>([
    { 'impersonate-group': 'dev' },
    { 'impersonate-uid': '7' },
    { 'impersonate-extra-a': 'b' },
  ])('%o without a user is a mistake', async (headers) => {
    expect(await act(headers)).toEqual({
      error: 'requested impersonation without impersonating a user',
    });
  });

  test('a refusal tells what may not be impersonated', async () => {
    expect(await act({ 'impersonate-user': 'jane' }, 'impersonate users jane')).toEqual({
      error:
        'users "jane" is forbidden: User "root" cannot impersonate resource "users" in API group "" at the cluster scope',
    });
  });
});
