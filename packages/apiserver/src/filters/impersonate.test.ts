import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import type { AccessAttributes, Authorizer } from '../authorization/authorizer.js';
import { FeatureGates } from '../features/feature-gates.js';
import { IncomingRequest, OpenRequests } from '../incoming-request.js';
import { parseRequestInfo } from '../parse-request-info.js';
import type { UserInfo } from '../user-info.js';
import { impersonate } from './impersonate.js';

interface Act {
  readonly headers: Record<string, string>;
  /** The allowed accesses, each as it is requested. */
  readonly allowed: (access: string) => boolean;
  readonly gates?: Record<string, boolean>;
  readonly user?: UserInfo;
}

const root: UserInfo = { name: 'root', groups: [] };

/** The effective user of the request, and the permissions that were checked. */
async function act({ headers, allowed, gates = {}, user = root }: Act) {
  const checks: string[] = [];
  const authorizer: Authorizer = {
    name: 'test',
    authorize: ({ verb, group, resource, subresource, namespace, name }: AccessAttributes) => {
      const access = `${verb} ${[group, resource, subresource].filter(Boolean).join('/')} ${namespace ? `${namespace}/` : ''}${name}`;
      checks.push(access);
      return allowed(access) ? { kind: 'allow', reason: '' } : { kind: 'no-opinion', reason: '' };
    },
  };
  const around = { clock: new VirtualClock(), openRequests: new OpenRequests(new AbortController().signal) };
  const context = new IncomingRequest({ method: 'GET', path, query: '', headers }, around);
  context.info = parseRequestInfo('GET', path, context.query);
  context.user = user;
  try {
    await impersonate(authorizer, new FeatureGates(gates))(async () => undefined as never)(context);
  } catch (error) {
    return { error: (error as Error).message, checks };
  }
  return { user: context.user, checks };
}

const path = '/api/v1/namespaces/x/pods';
const plainOnly = { ConstrainedImpersonation: false };
const everything = () => true;

describe('FILTER-15 impersonation', () => {
  const cases: { name: string; headers: Record<string, string>; user: object; checks: string[] }[] = [
    {
      name: 'a request without impersonation headers is unchanged',
      headers: {},
      user: { name: 'root', groups: [] },
      checks: [],
    },
    {
      name: 'a user',
      headers: { 'impersonate-user': 'jane' },
      user: { name: 'jane', groups: ['system:authenticated'] },
      checks: ['impersonate users jane'],
    },
    {
      name: 'a user with groups, each of which must be allowed',
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'dev, ops' },
      user: { name: 'jane', groups: ['dev', 'ops', 'system:authenticated'] },
      checks: ['impersonate users jane', 'impersonate groups dev', 'impersonate groups ops'],
    },
    {
      name: 'a service account has its groups',
      headers: { 'impersonate-user': 'system:serviceaccount:x:bot' },
      user: {
        name: 'system:serviceaccount:x:bot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:x', 'system:authenticated'],
      },
      checks: ['impersonate serviceaccounts x/bot'],
    },
    {
      name: 'unless groups are named',
      headers: { 'impersonate-user': 'system:serviceaccount:x:bot', 'impersonate-group': 'dev' },
      user: { name: 'system:serviceaccount:x:bot', groups: ['dev', 'system:authenticated'] },
      checks: ['impersonate serviceaccounts x/bot', 'impersonate groups dev'],
    },
    {
      name: 'a uid and more, whose keys may be escaped',
      headers: { 'impersonate-user': 'jane', 'impersonate-uid': '7', 'impersonate-extra-acme.com%2fproject': 'a' },
      user: { name: 'jane', uid: '7', groups: ['system:authenticated'], extra: { 'acme.com/project': ['a'] } },
      checks: [
        'impersonate users jane',
        'impersonate authentication.k8s.io/uids 7',
        'impersonate authentication.k8s.io/userextras/acme.com/project a',
      ],
    },
    {
      name: 'a key that objects have of themselves must be allowed too',
      headers: { 'impersonate-user': 'jane', 'impersonate-extra-__proto__': 'a' },
      user: { name: 'jane', groups: ['system:authenticated'], extra: Object.fromEntries([['__proto__', ['a']]]) },
      checks: ['impersonate users jane', 'impersonate authentication.k8s.io/userextras/__proto__ a'],
    },
    {
      name: 'the anonymous user is not in system:authenticated',
      headers: { 'impersonate-user': 'system:anonymous' },
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
      checks: ['impersonate users system:anonymous'],
    },
    {
      name: 'a user who is named as not authenticated stays so',
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'system:unauthenticated' },
      user: { name: 'jane', groups: ['system:unauthenticated'] },
      checks: ['impersonate users jane', 'impersonate groups system:unauthenticated'],
    },
  ];

  test.each(cases)('$name', async ({ headers, user, checks }) => {
    expect(await act({ headers, allowed: everything, gates: plainOnly })).toEqual({ user, checks });
  });

  test.each<[Record<string, string>, string]>([
    [
      { 'impersonate-group': 'dev' },
      '&user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)}',
    ],
    [
      { 'impersonate-uid': '7', 'impersonate-extra-a': 'b' },
      '&user.DefaultInfo{Name:"", UID:"7", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"b"}}}',
    ],
  ])('%o without a user is a mistake', async (headers, shown) => {
    const { error } = await act({ headers, allowed: everything });
    expect(error).toBe(`requested ${shown} without impersonating a user name`);
  });

  test('a rejection names what may not be impersonated', async () => {
    const { error } = await act({ headers: { 'impersonate-user': 'jane' }, allowed: () => false, gates: plainOnly });
    expect(error).toBe(
      'users "jane" is forbidden: User "root" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });
});

describe('FILTER-15 constrained impersonation', () => {
  const agent: UserInfo = {
    name: 'system:serviceaccount:kube-system:agent',
    groups: ['system:serviceaccounts'],
    extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
  };
  const constrained = (access: string) => /^impersonate(-on)?:/.test(access);

  test.each<{ name: string; headers: Record<string, string>; by?: UserInfo; groups: string[]; checks: string[] }>([
    {
      name: 'a user, with groups',
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'dev' },
      groups: ['dev', 'system:authenticated'],
      checks: [
        'impersonate-on:user-info:list pods x/',
        'impersonate:user-info authentication.k8s.io/users jane',
        'impersonate:user-info authentication.k8s.io/groups dev',
      ],
    },
    {
      name: 'a service account',
      headers: { 'impersonate-user': 'system:serviceaccount:x:bot' },
      groups: ['system:serviceaccounts', 'system:serviceaccounts:x', 'system:authenticated'],
      checks: [
        'impersonate-on:serviceaccount:list pods x/',
        'impersonate:serviceaccount authentication.k8s.io/serviceaccounts x/bot',
      ],
    },
    {
      name: 'any node',
      headers: { 'impersonate-user': 'system:node:n2' },
      by: agent,
      groups: ['system:nodes', 'system:authenticated'],
      checks: [
        'impersonate-on:arbitrary-node:list pods x/',
        'impersonate:arbitrary-node authentication.k8s.io/nodes n2',
      ],
    },
    {
      name: 'the node of the pod that asks',
      headers: { 'impersonate-user': 'system:node:n1' },
      by: agent,
      groups: ['system:nodes', 'system:authenticated'],
      checks: [
        'impersonate-on:associated-node:list pods x/',
        'impersonate:associated-node authentication.k8s.io/nodes *',
      ],
    },
  ])('as $name', async ({ headers, by = root, groups, checks }) => {
    const result = await act({ headers, allowed: constrained, user: by });
    expect(result).toEqual({ user: { name: headers['impersonate-user'], groups }, checks });
  });

  test('falls back on the older permission', async () => {
    const { user, checks } = await act({
      headers: { 'impersonate-user': 'jane' },
      allowed: (access) => access === 'impersonate users jane',
    });
    expect([user?.name, checks]).toEqual(['jane', ['impersonate-on:user-info:list pods x/', 'impersonate users jane']]);
  });

  test('reports the first permission that is missing', async () => {
    const { error } = await act({ headers: { 'impersonate-user': 'jane' }, allowed: () => false });
    expect(error).toBe(
      'pods is forbidden: User "root" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "x"',
    );
  });

  test.each([
    [{ 'impersonate-group': 'system:masters' }, 'impersonating the system:masters group is not allowed'],
    [{ 'impersonate-extra-acme.io%2fa': '' }, 'impersonating the empty string value in extra is not allowed'],
  ])('%o is never allowed with constrained impersonation', async (headers, problem) => {
    const { error } = await act({ headers: { 'impersonate-user': 'jane', ...headers }, allowed: constrained });
    expect(error).toContain(problem);
  });
});
