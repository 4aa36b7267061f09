import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, withDefaults } from '../../rules.fixture.js';

const apiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 10,
    service: { namespace: 'n', name: 's' },
  },
};

test('services are reached over TLS', () => {
  expect(withDefaults(apiService).spec.service.port).toBe(443);
});

test.each<[string, Changes, string[]]>([
  [
    'the name says what is served',
    { 'metadata.name': 'other' },
    ['metadata.name: Invalid value: "other": must be `spec.version+"."+spec.group`: "v1.example.com"'],
  ],
  [
    'so that none can be made up',
    { 'metadata.generateName': 'v1' },
    ['metadata.generateName: Invalid value: "v1": must be `spec.version+"."+spec.group`: "v1.example.com"'],
  ],
  [
    'priorities have bounds',
    { 'spec.groupPriorityMinimum': 20001 },
    ['spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000'],
  ],
  [
    'what the server serves itself needs no trust',
    { 'spec.service': undefined, 'spec.insecureSkipTLSVerify': true },
    ['spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify'],
  ],
  [
    'trust is by a certificate or blind',
    { 'spec.insecureSkipTLSVerify': true, 'spec.caBundle': 'YQ==' },
    ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(apiService, changes)).toEqual(want);
});
