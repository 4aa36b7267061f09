import type { PersistentVolumeClaim } from '@coracle/api';
import { expect, test } from 'vitest';
import type { ObjectReader } from '../../object-reader.js';
import { plainVersion } from './admit.fixture.js';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.js';

const classes: Record<string, object> = { grows: { allowVolumeExpansion: true }, fixed: {} };
const objects: ObjectReader = {
  get: (_ref, _namespace, name) => classes[name] as never,
  list: () => [],
  getFresh: async () => undefined,
  generation: () => 0,
};

const claim = (storageClassName: string, storage: string): PersistentVolumeClaim => ({
  metadata: { name: 'c' },
  spec: { storageClassName, resources: { requests: { storage } } },
});

function resize(className: string, from: string, to: string): void {
  void persistentVolumeClaimResize({ objects }).validate?.({
    operation: 'UPDATE',
    resource: { group: '', version: 'v1', resource: 'persistentvolumeclaims' },
    kind: { group: '', version: 'v1', kind: 'PersistentVolumeClaim' },
    requested: plainVersion('', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
    equivalents: [],
    subresource: '',
    isNamespaced: true,
    namespace: 'default',
    name: 'c',
    object: claim(className, to),
    oldObject: claim(className, from),
    options: {},
    dryRun: false,
    user: { name: 'ann', groups: [] },
    warn: () => {},
  });
}

test('ADM-18 a claim grows only in a class whose volumes can', () => {
  expect(() => resize('grows', '1Gi', '2Gi')).not.toThrow();
  expect(() => resize('fixed', '1Gi', '1024Mi')).not.toThrow();
  const why =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  expect(() => resize('fixed', '1Gi', '2Gi')).toThrow(`persistentvolumeclaims "c" is forbidden: ${why}`);
  expect(() => resize('nope', '1Gi', '2Gi')).toThrow(why);
});
