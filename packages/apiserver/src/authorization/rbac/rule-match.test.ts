import { describe, expect, test } from 'vitest';
import { accessTo, rule } from '../access.fixture.js';
import type { AccessAttributes } from '../authorizer.js';
import { type PolicyRule, ruleAllows } from './rule-match.js';

describe('AUTHZ-16 AUTHZ-23 what a rule allows', () => {
  const cases: { name: string; rule: PolicyRule; yes: AccessAttributes[]; no: AccessAttributes[] }[] = [
    {
      name: 'verbs and resources by name',
      rule: rule('get,list', 'pods'),
      yes: [accessTo('get pods a'), accessTo('list pods')],
      no: [accessTo('watch pods'), accessTo('get secrets a')],
    },
    { name: 'not their subresources', rule: rule('get', 'pods'), yes: [], no: [accessTo('get pods/log a')] },
    {
      name: 'subresources by name',
      rule: rule('get', 'pods/log'),
      yes: [accessTo('get pods/log a')],
      no: [accessTo('get pods a'), accessTo('get pods/exec a')],
    },
    {
      name: 'a subresource of anything',
      rule: rule('update', '*/scale'),
      yes: [accessTo('update deployments/scale a')],
      no: [accessTo('update deployments a'), accessTo('update deployments/status a')],
    },
    {
      name: 'everything of a group',
      rule: rule('*', '*'),
      yes: [accessTo('delete pods/log a')],
      no: [accessTo('get deployments a', { group: 'apps' })],
    },
    {
      name: 'every group',
      rule: rule('get', '*', { apiGroups: ['*'] }),
      yes: [accessTo('get deployments a', { group: 'apps' })],
      no: [accessTo('list deployments', { group: 'apps' })],
    },
    {
      name: 'single objects',
      rule: rule('get', 'pods', { resourceNames: ['a'] }),
      yes: [accessTo('get pods a')],
      no: [accessTo('get pods b'), accessTo('list pods')],
    },
    {
      name: 'an asterisk is no name',
      rule: rule('get', 'pods', { resourceNames: ['*'] }),
      yes: [],
      no: [accessTo('get pods a')],
    },
    {
      name: 'a path',
      rule: { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      yes: [accessTo('get /healthz')],
      no: [accessTo('get /healthz/etcd'), accessTo('post /healthz'), accessTo('get pods a')],
    },
    {
      name: 'paths below one',
      rule: { verbs: ['get'], nonResourceURLs: ['/healthz/*'] },
      yes: [accessTo('get /healthz/etcd')],
      no: [accessTo('get /healthz')],
    },
    {
      name: 'all paths',
      rule: { verbs: ['*'], nonResourceURLs: ['*'] },
      yes: [accessTo('get /metrics')],
      no: [accessTo('get pods a')],
    },
  ];

  test.each(cases)('$name', ({ rule: one, yes, no }) => {
    expect([yes.map((access) => ruleAllows(one, access)), no.map((access) => ruleAllows(one, access))]).toEqual([
      yes.map(() => true),
      no.map(() => false),
    ]);
  });
});
