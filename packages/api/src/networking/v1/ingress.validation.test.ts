import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, warningsOf } from '../../rules.fixture.js';

const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'i' },
  spec: {
    rules: [
      {
        host: 'example.com',
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }] },
      },
    ],
  },
};
const path = 'spec.rules.0.http.paths.0';
const field = 'spec.rules[0].http.paths[0]';

test.each<[string, Changes, string[]]>([
  [
    'an ingress leads somewhere',
    { spec: {} },
    ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  ],
  [
    'hosts have names',
    { 'spec.rules.0.host': '10.0.0.1' },
    ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
  ],
  [
    'the class is said once, or twice the same',
    { 'metadata.annotations': { 'kubernetes.io/ingress.class': 'a' }, 'spec.ingressClassName': 'b' },
    [
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified',
    ],
  ],
  ['or stars for the first part of one', { 'spec.rules.0.host': '*.example.com' }, []],
  [
    'a path says how it is matched',
    { [`${path}.pathType`]: null },
    [`${field}.pathType: Required value: pathType must be specified`],
  ],
  ['begins at the root', { [`${path}.path`]: 'a' }, [`${field}.path: Invalid value: "a": must be an absolute path`]],
  [
    'and does not climb',
    { [`${path}.path`]: '/a/../b' },
    [`${field}.path: Invalid value: "/a/../b": must not contain '/../'`],
  ],
  [
    'a port has a name or a number',
    { [`${path}.backend.service.port.name`]: 'http' },
    [`${field}.backend: Invalid value: "": cannot set both port name & port number`],
  ],
  [
    'a backend is a service or another object',
    { [`${path}.backend`]: {} },
    [`${field}.backend: Invalid value: "": resource or service backend is required`],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(ingress, changes)).toEqual(want);
});

test('the class as an annotation is a thing of the past', () => {
  expect(warningsOf(ingress, { 'metadata.annotations': { 'kubernetes.io/ingress.class': 'nginx' } })).toEqual([
    `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
  ]);
});
