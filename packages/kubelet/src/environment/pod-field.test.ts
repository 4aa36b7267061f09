import { expect, test } from 'vitest';
import { makePod, place } from '../builders.fixture.js';
import { podField } from './pod-field.js';

test.each([
  ['metadata.name', 'web'],
  ['metadata.namespace', 'shop'],
  ['metadata.uid', 'uid-1'],
  ["metadata.labels['app']", 'web'],
  ["metadata.annotations['note']", 'say "hello"'],
  ["metadata.labels['missing']", ''],
  ["metadata.labels['constructor']", ''],
  ['metadata.labels', 'app="web"\ntier="front"'],
  ['metadata.annotations', 'note="say \\"hello\\""'],
  ['spec.nodeName', 'node-1'],
  ['spec.serviceAccountName', 'seller'],
  ['status.hostIP', '172.18.0.2'],
  ['status.hostIPs', '172.18.0.2,fd00::2'],
  ['status.podIP', '10.0.0.5'],
  ['status.podIPs', '10.0.0.5,fd01::5'],
])('%s of a pod is %j', (path, value) => {
  expect(podField({ ...place, pod: makePod() }, path)).toBe(value);
});

test('a field that is not offered is an error', () => {
  expect(() => podField({ ...place, pod: makePod() }, 'status.phase')).toThrow('unsupported fieldPath: status.phase');
});
