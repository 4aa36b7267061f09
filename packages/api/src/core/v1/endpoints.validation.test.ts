import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, withDefaults } from '../../rules.fixture.js';

const endpoints = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'e' },
  subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }],
};

test('ports are TCP', () => {
  expect(withDefaults(endpoints).subsets[0].ports).toEqual([{ port: 80, protocol: 'TCP' }]);
});

test.each<[string, Changes, string[]]>([
  [
    'a subset has addresses',
    { 'subsets.0.addresses': [] },
    ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  ],
  [
    'that others can reach',
    { 'subsets.0.addresses.0.ip': '169.254.1.1' },
    [
      'subsets[0].addresses[0].ip: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
  ],
  [
    'several ports have names',
    { 'subsets.0.ports.1': { name: 'b', port: 81 } },
    ['subsets[0].ports[0].name: Required value'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(endpoints, changes)).toEqual(want);
});
