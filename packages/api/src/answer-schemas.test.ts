import { decodeKind, encodeKind } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import { schemaOfAnswer } from './answer-schemas.js';

describe('schemaOfAnswer', () => {
  it('brings partial metadata through protobuf', () => {
    roundTrip({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadataList',
      metadata: { resourceVersion: '7' },
      items: [{ metadata: { name: 'a', labels: { x: 'y' } } }],
    });
  });

  it('brings aggregated discovery through protobuf', () => {
    const responseKind = { group: '', version: 'v1', kind: 'Pod' };
    const subresources = [{ subresource: 'status', responseKind, verbs: ['get', 'patch', 'update'] }];
    const pods = {
      resource: 'pods',
      responseKind,
      scope: 'Namespaced',
      singularResource: 'pod',
      verbs: ['get'],
      subresources,
    };
    roundTrip({
      apiVersion: 'apidiscovery.k8s.io/v2',
      kind: 'APIGroupDiscoveryList',
      metadata: {},
      items: [{ metadata: {}, versions: [{ version: 'v1', resources: [pods], freshness: 'Current' }] }],
    });
  });

  it('other kinds have no schema', () => {
    expect(schemaOfAnswer({ group: '', version: 'v1', kind: 'Pod' })).toBeUndefined();
  });
});

function roundTrip(object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}): void {
  const [group = '', version = ''] = object.apiVersion.split('/');
  const schema = schemaOfAnswer({ group, version, kind: object.kind });
  if (!schema) throw new Error(`no schema of ${object.kind}`);
  expect(decodeKind(encodeKind(object, schema), schemaOfAnswer)).toEqual(object);
}
