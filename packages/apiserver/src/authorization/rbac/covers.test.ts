import { describe, expect, test } from 'vitest';
import { rule } from '../access.fixture.js';
import { compactRules, describeRule, uncovered } from './covers.js';
import type { PolicyRule } from './rule-match.js';

describe('AUTHZ-23 the permissions that are required to grant a rule', () => {
  const cases: { name: string; held: PolicyRule[]; rules: PolicyRule[]; missing: string[] }[] = [
    { name: 'the same', held: [rule('get', 'pods')], rules: [rule('get', 'pods')], missing: [] },
    {
      name: 'more',
      held: [rule('*', '*', { apiGroups: ['*'] })],
      rules: [rule('get,delete', 'pods,secrets')],
      missing: [],
    },
    {
      name: 'several together',
      held: [rule('get', 'pods'), rule('list', 'pods')],
      rules: [rule('get,list', 'pods')],
      missing: [],
    },
    {
      name: 'less',
      held: [rule('get', 'pods')],
      rules: [rule('get,list', 'pods')],
      missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["list"]}'],
    },
    {
      name: 'an asterisk is more than all names',
      held: [rule('get,list', 'pods')],
      rules: [rule('*', 'pods')],
      missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
    },
    {
      name: 'one object is less than all',
      held: [rule('get', 'pods', { resourceNames: ['a'] })],
      rules: [rule('get', 'pods')],
      missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    },
    {
      name: 'all are more than one object',
      held: [rule('get', 'pods')],
      rules: [rule('get', 'pods', { resourceNames: ['a'] })],
      missing: [],
    },
    {
      name: 'an object named by an asterisk is not all objects',
      held: [rule('get', 'pods', { resourceNames: ['*'] })],
      rules: [rule('get', 'pods', { resourceNames: ['a'] })],
      missing: ['{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}'],
    },
    {
      name: 'a subresource of anything',
      held: [rule('get', '*/scale')],
      rules: [rule('get', 'pods/scale')],
      missing: [],
    },
    {
      name: 'paths',
      held: [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }],
      rules: [{ verbs: ['get'], nonResourceURLs: ['/a/b', '/c'] }],
      missing: ['{NonResourceURLs:["/c"], Verbs:["get"]}'],
    },
  ];

  test.each(cases)('$name', ({ held, rules: requestedRules, missing }) => {
    expect(uncovered(held, requestedRules).map(describeRule)).toEqual(missing);
  });
});

test('AUTHZ-23 the missing rules for one resource are one line', () => {
  const missing = uncovered(
    [],
    [
      rule('get,list', 'pods'),
      { verbs: ['get', 'put'], nonResourceURLs: ['/a'] },
      rule('delete', 'pods', { resourceNames: ['x'] }),
      rule('watch', 'pods'),
    ],
  );
  expect(compactRules(missing).map(describeRule)).toEqual([
    '{NonResourceURLs:["/a"], Verbs:["get"]}',
    '{NonResourceURLs:["/a"], Verbs:["put"]}',
    '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list" "watch"]}',
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["delete"]}',
  ]);
});
