import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, warningsOf, withDefaults } from '../../rules.fixture.js';

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: 'dmFsdWU=' } };

test('text ends up as base64 in the data, and a secret without a type is opaque', () => {
  const { data, stringData, type } = withDefaults(secret, { 'stringData.greeting': 'grüezi' });
  expect({ data, stringData, type }).toEqual({
    data: { key: 'dmFsdWU=', greeting: 'Z3LDvGV6aQ==' },
    stringData: undefined,
    type: 'Opaque',
  });
});

test.each<[string, Changes, string[]]>([
  ['an opaque secret may hold anything', {}, []],
  [
    'a TLS secret has both files',
    { type: 'kubernetes.io/tls' },
    ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  ],
  [
    'a login has a name or a password',
    { type: 'kubernetes.io/basic-auth' },
    ['data[username]: Required value', 'data[password]: Required value'],
  ],
  ['one of the two is enough', { type: 'kubernetes.io/basic-auth', 'data.username': 'YQ==' }, []],
  ['an SSH secret has a key', { type: 'kubernetes.io/ssh-auth' }, ['data[ssh-privatekey]: Required value']],
  [
    'a registry login is JSON',
    {
      type: 'kubernetes.io/dockerconfigjson',
      'data..dockerconfigjson': undefined,
      data: { '.dockerconfigjson': 'W10=' },
    },
    [
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ],
  [
    'a token names its service account',
    { type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(secret, changes)).toEqual(want);
});

test('the type of a secret never changes', () => {
  expect(problemsOnUpdate(secret, { type: 'example.com/other' })).toEqual([
    'type: Invalid value: "example.com/other": field is immutable',
  ]);
});

test('a TLS secret that cannot be read is accepted with a warning', () => {
  const changes = { type: 'kubernetes.io/tls', data: { 'tls.crt': 'YQ==', 'tls.key': 'YQ==' } };
  expect(warningsOf(secret, changes)).toEqual(['tls: failed to find any PEM data in certificate input']);
});
