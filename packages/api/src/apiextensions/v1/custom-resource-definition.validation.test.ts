import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnCreate, withDefaults } from '../../test-rules.js';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
      },
    ],
  },
  status: { storedVersions: ['v1'] },
};
const spec = 'spec.versions.0.schema.openAPIV3Schema.properties.spec';
const field = 'spec.validation.openAPIV3Schema.properties[spec]';

test('names follow from the kind, and nothing is converted', () => {
  const { names, conversion } = withDefaults(definition).spec;
  expect(names).toMatchObject({ singular: 'boat', listKind: 'BoatList' });
  expect(conversion).toEqual({ strategy: 'None' });
});

describe('definitions', () => {
  test.each<[string, Changes, string[]]>([
    [
      'the name says what is defined',
      { 'metadata.name': 'ships.example.com' },
      ['metadata.name: Invalid value: "ships.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'so that none can be made up',
      { 'metadata.generateName': 'ships' },
      ['metadata.generateName: Invalid value: "ships": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'one version is stored',
      { 'spec.versions.0.storage': false },
      [
        'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      ],
    ],
    [
      'every version has a schema',
      { 'spec.versions.0.schema': undefined },
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'versions that were stored stay',
      { 'status.storedVersions': ['v1', 'v0'] },
      [
        'status.storedVersions[1]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
      ],
    ],
    [
      'a column has a path',
      { 'spec.versions.0.additionalPrinterColumns': [{ name: 'N', type: 'integer', jsonPath: 'spec' }] },
      ['spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .'],
    ],
    [
      'replicas are in the spec and counted in the status',
      { 'spec.versions.0.subresources': { scale: { specReplicasPath: '.status.n', statusReplicasPath: '.status.n' } } },
      ['spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec'],
    ],
    [
      'lists are filtered by fields that there are',
      { 'spec.versions.0.selectableFields': [{ jsonPath: '.spec.nothing' }] },
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.nothing": is an invalid path: does not refer to a valid field',
      ],
    ],
    [
      'only deprecated versions warn',
      { 'spec.versions.0.deprecationWarning': 'old' },
      ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
    ],
    [
      'a webhook converts or does not',
      { 'spec.conversion': { strategy: 'Webhook' } },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(definition, changes)).toEqual(want);
  });
});

describe('schemas', () => {
  test.each<[string, Changes, string[]]>([
    [
      'every field has a type',
      { [`${spec}.type`]: undefined },
      [`${field}.type: Required value: must not be empty for specified object fields`],
    ],
    ['or is kept as it is', { [spec]: { 'x-kubernetes-preserve-unknown-fields': true } }, []],
    [
      'that is known',
      { [`${spec}.type`]: 'map' },
      [
        `${field}.type: Unsupported value: "map": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    ['lists have items', { [`${spec}.type`]: 'array' }, [`${field}.items: Required value: must be specified`]],
    [
      'items have a type',
      { [spec]: { type: 'array', items: {} } },
      [`${field}.items.type: Required value: must not be empty for specified array items`],
    ],
    [
      'keys of a list are fields of its items',
      {
        [spec]: {
          type: 'array',
          items: { type: 'object' },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
      [`${field}.x-kubernetes-list-map-keys: Invalid value: "name": entries must all be names of item properties`],
    ],
    [
      'nothing is said twice',
      { [`${spec}.anyOf`]: [{ type: 'object' }] },
      [`${field}.anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      'defaults fit',
      { [`${spec}.properties`]: { n: { type: 'integer', default: 'x' } } },
      [`${field}.properties[n].default: Invalid value: "x": must be of type integer: "string"`],
    ],
    [
      'rules compile',
      { [`${spec}.x-kubernetes-validations`]: [{ rule: 'it.n < 10' }] },
      [
        `${field}.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"it.n < 10","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:1: undeclared reference to 'it' (in container '')\n | it.n < 10\n | ^`,
      ],
    ],
    ['references are not followed', { [`${spec}.$ref`]: '#/x' }, [`${field}.$ref: Forbidden: $ref is not supported`]],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(definition, changes)).toEqual(want);
  });
});
