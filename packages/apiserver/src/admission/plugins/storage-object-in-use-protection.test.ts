import { expect, test } from 'vitest';
import { admit, thing } from './admit.fixture.js';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.js';

test('ADM-18 a claim is protected while it is used, once', async () => {
  const claim = thing('PersistentVolumeClaim', 'c');
  const first = await admit(storageObjectInUseProtection, { resource: 'persistentvolumeclaims', object: claim });
  const second = await admit(storageObjectInUseProtection, {
    resource: 'persistentvolumeclaims',
    object: first.object as object,
  });

  expect(second.object).toMatchObject({ metadata: { finalizers: ['kubernetes.io/pvc-protection'] } });
});
