import { describe, expect, test } from 'vitest';
import { rule, wanted } from '../access.fixture.js';
import type { AccessAttributes } from '../authorizer.js';
import { type PolicyRule, ruleAllows } from './rule-match.js';

describe('AUTHZ-16 AUTHZ-23 what a rule allows', () => {
  const cases: { name: string; rule: PolicyRule; yes: AccessAttributes[]; no: AccessAttributes[] }[] = [
    {
      name: 'verbs and resources by name',
      rule: rule('get,list', 'pods'),
      yes: [wanted('get pods a'), wanted('list pods')],
      no: [wanted('watch pods'), wanted('get secrets a')],
    },
    { name: 'not their subresources', rule: rule('get', 'pods'), yes: [], no: [wanted('get pods/log a')] },
    {
      name: 'subresources by name',
      rule: rule('get', 'pods/log'),
      yes: [wanted('get pods/log a')],
      no: [wanted('get pods a'), wanted('get pods/exec a')],
    },
    {
      name: 'a subresource of anything',
      rule: rule('update', '*/scale'),
      yes: [wanted('update deployments/scale a')],
      no: [wanted('update deployments a'), wanted('update deployments/status a')],
    },
    {
      name: 'everything of a group',
      rule: rule('*', '*'),
      yes: [wanted('delete pods/log a')],
      no: [wanted('get deployments a', { group: 'apps' })],
    },
    {
      name: 'every group',
      rule: rule('get', '*', { apiGroups: ['*'] }),
      yes: [wanted('get deployments a', { group: 'apps' })],
      no: [wanted('list deployments', { group: 'apps' })],
    },
    {
      name: 'single objects',
      rule: rule('get', 'pods', { resourceNames: ['a'] }),
      yes: [wanted('get pods a')],
      no: [wanted('get pods b'), wanted('list pods')],
    },
    {
      name: 'an asterisk is no name',
      rule: rule('get', 'pods', { resourceNames: ['*'] }),
      yes: [],
      no: [wanted('get pods a')],
    },
    {
      name: 'a path',
      rule: { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      yes: [wanted('get /healthz')],
      no: [wanted('get /healthz/etcd'), wanted('post /healthz'), wanted('get pods a')],
    },
    {
      name: 'paths below one',
      rule: { verbs: ['get'], nonResourceURLs: ['/healthz/*'] },
      yes: [wanted('get /healthz/etcd')],
      no: [wanted('get /healthz')],
    },
    {
      name: 'all paths',
      rule: { verbs: ['*'], nonResourceURLs: ['*'] },
      yes: [wanted('get /metrics')],
      no: [wanted('get pods a')],
    },
  ];

  test.each(cases)('$name', ({ rule: one, yes, no }) => {
    expect([yes.map((access) => ruleAllows(one, access)), no.map((access) => ruleAllows(one, access))]).toEqual([
      yes.map(() => true),
      no.map(() => false),
    ]);
  });
});
