import { expect, test } from 'vitest';
import { fieldReader } from './field-reader.js';

const object = {
  spec: { replicas: 3, none: null, ports: [{ name: 'http' }, { name: 'https' }] },
  metadata: { labels: { 'app.kubernetes.io/name': 'web' } },
  status: {
    conditions: [
      { type: 'Synced', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
  },
};

test.each<readonly [string, unknown]>([
  ['.spec.replicas', 3],
  ['.spec.none', null],
  ['.spec.absent', undefined],
  ['.spec.toString', undefined],
  ["['spec'].replicas", 3],
  ['.spec.ports[-1].name', 'https'],
  [".status.conditions[?(@.type == 'Synced')].status", 'False'],
  ['.absent.deep.down', undefined],
  ['.spec.ports[*].name', 'http'],
  ['.spec.ports[1].name', 'https'],
  ['.spec.ports[2].name', undefined],
  ['.spec.replicas[0]', undefined],
  [".metadata.labels['app\\.kubernetes\\.io/name']", 'web'],
  ['.metadata.labels.app\\.kubernetes\\.io/name', 'web'],
  ['.status.conditions[?(@.type=="Ready")].status', 'True'],
  ['.status.conditions[?(@.type=="Absent")].status', undefined],
  ['.spec[?(', undefined],
])('reads %s as %j', (path, value) => {
  expect(fieldReader(path)(object)).toEqual(value);
});
