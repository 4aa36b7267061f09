import { decodeObject } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import { schemaOfKind } from './schemas.js';

/** The responses of Kubernetes v1.36 to these objects, which the presence of each field reproduces. */
const cases: { name: string; input: Record<string, unknown>; expected: Record<string, unknown> }[] = [
  {
    name: 'gives a deployment an empty strategy, status and resources',
    input: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { selector: {}, template: { spec: { containers: [{ name: 'c', image: '', stdin: false, tty: true }] } } },
    },
    expected: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        selector: {},
        strategy: {},
        template: { metadata: {}, spec: { containers: [{ name: 'c', resources: {}, tty: true }] } },
      },
      status: {},
    },
  },
  {
    name: 'writes null for the rules that a role does not have',
    input: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r' } },
    expected: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r' }, rules: null },
  },
  {
    name: 'writes null for the times that an event does not have',
    input: { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject: {}, count: 0 },
    expected: {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: {},
      source: {},
      eventTime: null,
      firstTimestamp: null,
      lastTimestamp: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  },
  {
    name: 'writes null for a pointer that Go always writes',
    input: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'p' },
      spec: { dataSource: { kind: 'PersistentVolumeClaim', name: 'other' } },
      status: {},
    },
    expected: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'p' },
      spec: { dataSource: { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'other' }, resources: {} },
      status: {},
    },
  },
  {
    name: 'keeps an explicit false where there is a pointer to it, and no empty lists and maps',
    input: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', labels: {} }, immutable: false, data: {} },
    expected: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, immutable: false },
  },
];

describe('the canonical form', () => {
  for (const { name, input, expected } of cases) {
    it(name, () => {
      expect(decodeObject(input, schemaFor(input)).object).toEqual(expected);
    });
  }

  it('finds unknown fields in the schemas inside the schema of a custom resource, but for those of items', () => {
    const items = { type: 'string', nonsense: 1 };
    const openAPIV3Schema = { type: 'object', properties: { tags: { type: 'array', nonsense: 1, items } } };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
    };
    expect(decodeObject(crd, schemaFor(crd)).unknownFields).toEqual([
      'spec.versions[0].schema.openAPIV3Schema.properties.tags.nonsense',
    ]);
  });
});

function schemaFor({ apiVersion, kind }: Record<string, unknown>) {
  const [first = '', second] = String(apiVersion).split('/');
  const groupVersion = second === undefined ? { group: '', version: first } : { group: first, version: second };
  const schema = schemaOfKind({ ...groupVersion, kind: String(kind) });
  if (!schema) throw new Error(`no schema of ${kind}`);
  return schema;
}
