import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate } from '../../rules.fixture.js';

const review = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  metadata: {},
  spec: { user: 'ann', resourceAttributes: { verb: 'get', resource: 'pods' } },
};

test.each<[string, Changes, string[]]>([
  [
    'a review needs a user or a group',
    { 'spec.user': '' },
    ['spec.user: Invalid value: "": at least one of user or group must be specified'],
  ],
  [
    'and about something',
    { 'spec.resourceAttributes': undefined },
    [
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
  ],
  [
    'about one thing',
    { 'spec.nonResourceAttributes': { path: '/x', verb: 'get' } },
    [
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ],
  ],
  [
    'a selector selects',
    { 'spec.resourceAttributes.labelSelector': {} },
    [
      'spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
    ],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(review, changes)).toEqual(want);
});

test('a SelfSubjectAccessReview needs no user', () => {
  expect(problemsOnCreate({ ...review, kind: 'SelfSubjectAccessReview' }, { 'spec.user': undefined })).toEqual([]);
});

test('in a namespace, there are no paths', () => {
  const local = { ...review, kind: 'LocalSubjectAccessReview' };
  const changes = { 'spec.resourceAttributes': undefined, 'spec.nonResourceAttributes': { path: '/x', verb: 'get' } };
  expect(problemsOnCreate(local, changes)).toEqual([
    'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request',
  ]);
});
