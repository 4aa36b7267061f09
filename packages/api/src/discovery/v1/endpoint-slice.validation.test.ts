import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';

const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 's' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.1.1.1'] }],
  ports: [{ port: 80 }],
};

test('ports are TCP and need no name', () => {
  expect(withDefaults(slice).ports).toEqual([{ name: '', port: 80, protocol: 'TCP' }]);
});

test.each<[string, Changes, string[]]>([
  [
    'an endpoint has an address',
    { 'endpoints.0.addresses': [] },
    ['endpoints[0].addresses: Required value: must contain at least 1 address'],
  ],
  [
    'of the type of the slice',
    { 'endpoints.0.addresses': ['2001:db8::1'] },
    ['endpoints[0].addresses[0]: Invalid value: "2001:db8::1": must be an IPv4 address'],
  ],
  [
    'or is a name of two parts',
    { addressType: 'FQDN', endpoints: [{ addresses: ['host', 'host.example.'] }] },
    [
      'endpoints[0].addresses[0]: Invalid value: "host": should be a domain with at least two segments separated by dots',
    ],
  ],
  [
    'zones are values of labels',
    { 'endpoints.0.hints': { forZones: [{ name: 'Zone_1' }, { name: 'a b' }] } },
    [
      expect.stringContaining(
        'endpoints[0].hints.forZones[1].name: Invalid value: "a b": a valid label must be an empty string',
      ),
    ],
  ],
  ['ports differ in name', { 'ports.1': { port: 81 } }, ['ports[1].name: Duplicate value: ""']],
  [
    'a thousand endpoints are enough',
    { endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['10.1.1.1'] })) },
    ['endpoints: Too many: 1001: must have at most 1000 items'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(slice, changes)).toEqual(want);
});

test('the type of a slice stays', () => {
  const empty = { ...slice, endpoints: [] };
  expect(problemsOnUpdate(empty, { addressType: 'IPv6' })).toEqual([
    'addressType: Invalid value: "IPv6": field is immutable',
  ]);
});
