import type { PersistentVolumeClaim } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { admit } from './admit.fixture.js';
import { defaultIngressClass, defaultStorageClass } from './default-class.js';

describe('ADM-18 default classes', () => {
  const storage = (name: string, creationTimestamp: string) =>
    ({
      kind: 'StorageClass',
      metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    }) as KubeObject;
  const claim = (spec: object) => ({ kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec });
  const classOf = async (objects: KubeObject[], spec: object) =>
    (
      (
        await admit(defaultStorageClass({ objects: new MemoryObjects(objects) }), {
          resource: 'persistentvolumeclaims',
          object: claim(spec),
        })
      ).object as PersistentVolumeClaim
    ).spec?.storageClassName;

  test('the newest storage class; none if the claim names a class, even the empty name', async () => {
    const both = [storage('old', '2026-01-01T00:00:00Z'), storage('new', '2026-01-02T00:00:00Z')];

    expect([await classOf(both, {}), await classOf(both, { storageClassName: '' }), await classOf([], {})]).toEqual([
      'new',
      '',
      undefined,
    ]);
  });

  test('the ingress class, if there is exactly one', async () => {
    const ingressClass = (name: string) =>
      ({
        kind: 'IngressClass',
        metadata: { name, annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      }) as KubeObject;
    const run = (...objects: KubeObject[]) =>
      admit(defaultIngressClass({ objects: new MemoryObjects(objects) }), {
        resource: 'networking.k8s.io/ingresses',
        object: { kind: 'Ingress', metadata: { name: 'i' }, spec: {} },
      });

    expect((await run(ingressClass('a'))).object).toMatchObject({ spec: { ingressClassName: 'a' } });
    expect((await run(ingressClass('a'), ingressClass('b'))).error).toBe(
      'ingresses.networking.k8s.io "i" is forbidden: 2 default IngressClasses were found, only 1 allowed',
    );
  });
});
