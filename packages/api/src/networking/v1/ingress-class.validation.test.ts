import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate } from '../../rules.fixture.js';

const ingressClass = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'c' },
  spec: { controller: 'example.com/c', parameters: { kind: 'P', name: 'n' } },
};

test.each<[string, Changes, string[]]>([
  ['parameters belong to the cluster unless stated', {}, []],
  [
    'a controller has a domain',
    { 'spec.controller': 'c' },
    ['spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    'parameters of the cluster are in no namespace',
    { 'spec.parameters.namespace': 'x' },
    ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
  ],
  [
    'those of a namespace say which',
    { 'spec.parameters.scope': 'Namespace' },
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(ingressClass, changes)).toEqual(want);
});

test('the controller of a class stays', () => {
  expect(problemsOnUpdate(ingressClass, { 'spec.controller': 'example.com/d' })).toEqual([
    'spec.controller: Invalid value: "example.com/d": field is immutable',
  ]);
});
