import { describe, expect, test } from 'vitest';
import { accessTo, jane } from '../access.fixture.js';
import type { AccessAttributes } from '../authorizer.js';
import { abac } from './abac-authorizer.js';

const line = (spec: object) =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

describe('AUTHZ-07 a policy of a file', () => {
  const everywhere = { namespace: '*', resource: '*', apiGroup: '*' };
  const cases: { name: string; file: string; yes: AccessAttributes[]; no: AccessAttributes[] }[] = [
    {
      name: 'is for a user, in a namespace, about a resource of a group',
      file: line({ user: 'jane', namespace: 'default', resource: 'pods' }),
      yes: [accessTo('get pods a'), accessTo('delete pods/log a')],
      no: [
        accessTo('get secrets a'),
        accessTo('get pods a', { namespace: 'other' }),
        accessTo('get pods a', { group: 'apps' }),
        accessTo('get pods a', { user: anonymous }),
        accessTo('get /healthz'),
      ],
    },
    {
      name: 'is for a group, and for those of it alone whom it names',
      file: [
        line({ group: 'dev', resource: 'pods', namespace: '*' }),
        line({ user: 'eve', group: 'dev', ...everywhere }),
      ].join('\n'),
      yes: [accessTo('get pods a')],
      no: [accessTo('get secrets a')],
    },
    {
      name: 'may be for every authenticated user',
      file: line({ user: '*', ...everywhere }),
      yes: [accessTo('delete deployments a', { group: 'apps' })],
      no: [accessTo('get pods a', { user: anonymous })],
    },
    {
      name: 'may let people read alone',
      file: line({ user: 'jane', readonly: true, ...everywhere }),
      yes: [accessTo('get pods a'), accessTo('list pods'), accessTo('watch pods')],
      no: [accessTo('create pods')],
    },
    {
      name: 'may be about paths, all or those below one',
      file: line({ user: 'jane', nonResourcePath: '/apis*' }),
      yes: [accessTo('get /apis'), accessTo('post /apis/apps')],
      no: [accessTo('get /api'), accessTo('get pods a')],
    },
    {
      name: 'without a user or group applies to no user',
      file: line(everywhere),
      yes: [],
      no: [accessTo('get pods a')],
    },
    {
      name: 'without a version leaves out what it does not limit',
      file: '# comment\n\n{"user":"jane"}',
      yes: [accessTo('delete pods a', { group: 'apps' }), accessTo('get /healthz')],
      no: [accessTo('get pods a', { user: anonymous })],
    },
    {
      name: 'without a version and a user is for every authenticated user',
      file: '{"resource":"pods","readonly":true}',
      yes: [accessTo('get pods a')],
      no: [accessTo('delete pods a'), accessTo('get /healthz'), accessTo('get pods a', { user: anonymous })],
    },
  ];

  test.each(cases)('$name', ({ file, yes, no }) => {
    const { authorize } = abac(file);
    expect([yes.map((one) => authorize(one).kind), no.map((one) => authorize(one).kind)]).toEqual([
      yes.map(() => 'allow'),
      no.map(() => 'no-opinion'),
    ]);
  });

  test('is refused with its line when it cannot be read', () => {
    expect(() => abac('{"user":"jane"}\n{')).toThrow('error reading policy file, line 2: {');
    expect(() => abac('{"apiVersion":"v1","kind":"Pod"}')).toThrow('no kind "Pod" is known for version "v1"');
  });

  test('reports why it does not help', () => {
    expect(abac('').authorize(accessTo('get pods a'))).toEqual({ kind: 'no-opinion', reason: 'No policy matched.' });
  });
});

test('AUTHZ-08 the rules of a user come from the policies of the namespace', () => {
  const file = [
    line({ user: 'jane', namespace: 'default', resource: 'pods', readonly: true }),
    line({ user: 'jane', namespace: 'other', resource: 'secrets' }),
    line({ user: 'jane', namespace: '*', nonResourcePath: '/healthz' }),
  ].join('\n');
  expect(abac(file).rulesFor?.(jane, 'default')).toEqual({
    resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/healthz'] }],
    incomplete: false,
  });
});
