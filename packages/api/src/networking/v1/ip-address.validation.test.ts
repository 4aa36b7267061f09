import { expect, test } from 'vitest';
import { problemsOnCreate, problemsOnUpdate } from '../../rules.fixture.js';
import { rules } from './rules.js';

const address = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: { name: '10.0.0.1' },
  spec: { parentRef: { resource: 'services', name: 's', namespace: 'n' } },
};

test('an address belongs to something', () => {
  expect(problemsOnCreate(address, { spec: {} })).toEqual(['spec.parentRef: Required value']);
  expect(problemsOnCreate(address, { 'spec.parentRef': {} })).toEqual([
    'spec.parentRef.resource: Required value',
    'spec.parentRef.name: Required value',
  ]);
});

test('and stays with it', () => {
  expect(problemsOnUpdate(address, { 'spec.parentRef.name': 'other' })).toEqual([
    'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"n","Name":"other"}: field is immutable',
  ]);
});

test.each([
  ['10.0.0.1', []],
  ['2001:db8::1', []],
  ['2001:DB8::1', ['must be in canonical form ("2001:db8::1")']],
  ['::ffff:10.0.0.1', ['must not be an IPv4-mapped IPv6 address']],
  ['x', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
])('as a name, %s is an address in its one form or not', (name, want) => {
  expect(rules['IPAddress']?.validateName?.(name, false)).toEqual(want);
});
