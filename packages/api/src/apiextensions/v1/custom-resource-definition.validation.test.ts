import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';

const crd = {
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

test('names have defaults from the kind, and the conversion strategy is None', () => {
  const { names, conversion } = withDefaults(crd).spec;
  expect(names).toMatchObject({ singular: 'boat', listKind: 'BoatList' });
  expect(conversion).toEqual({ strategy: 'None' });
});

describe('CRDs', () => {
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
      'and not where there is no schema',
      { 'spec.versions.0.selectableFields': [{ jsonPath: '.spec.a' }], 'spec.versions.0.schema': undefined },
      [
        'spec.versions[0].schema.openAPIV3Schema: Required value',
        'spec.selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
      ],
    ],
    [
      'a default meets the rules',
      {
        [`${spec}.default`]: { a: 1 },
        [`${spec}.properties`]: {
          a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'is more than one' }] },
        },
      },
      [`${field}.default.a: Invalid value: 1: is more than one`],
    ],
    [
      'but for those about what was there before',
      {
        [`${spec}.default`]: { a: 1 },
        [`${spec}.properties`]: { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > oldSelf' }] } },
      },
      [],
    ],
    [
      'an integer or string has any default',
      {
        [`${spec}.properties`]: { a: { 'x-kubernetes-int-or-string': true, default: true } },
      },
      [],
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
    expect(problemsOnCreate(crd, changes)).toEqual(want);
  });
});

test('group and plural name of a CRD are immutable', () => {
  expect(problemsOnUpdate(crd, { 'spec.names.plural': 'ships' })).toEqual([
    'spec.names.plural: Invalid value: "ships": field is immutable',
  ]);
});

describe('the costs of rules', () => {
  const rules = [{ rule: 'self.all(x, isCIDR(x))', message: 'no network' }];
  const networks = { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': rules };
  const boats = (schema: object) => {
    const [version] = crd.spec.versions;
    const versions = [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } } }];
    return { ...crd, spec: { ...crd.spec, versions } };
  };
  const tooMuch = `${field}.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of `;

  test('count the texts that functions read', () => {
    expect(problemsOnCreate(boats(networks), {})).toEqual(expect.arrayContaining([expect.stringContaining(tooMuch)]));
    expect(
      problemsOnCreate(boats({ ...networks, maxItems: 16, items: { type: 'string', maxLength: 43 } }), {}),
    ).toEqual([]);
    expect(problemsOnCreate(boats({ ...networks, maxItems: 30 }), {})).toEqual([]);
  });

  test('of each rule count again only when the schema of its version changes', () => {
    const accepted = boats({ ...networks, maxItems: 40 });
    expect(problemsOnCreate(accepted, {})).toEqual([expect.stringContaining(tooMuch)]);
    expect(problemsOnUpdate(accepted, { 'spec.names.shortNames': ['b'] })).toEqual([]);
    expect(problemsOnUpdate(accepted, { [`${spec}.maxItems`]: 50 })).toEqual([expect.stringContaining(tooMuch)]);
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
      [`${field}.x-kubernetes-list-map-keys: Invalid value: ["name"]: entries must all be names of item properties`],
    ],
    [
      'nothing is said twice',
      { [`${spec}.anyOf`]: [{ type: 'object' }] },
      [`${field}.anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      'defaults fit',
      { [`${spec}.properties`]: { n: { type: 'integer', default: 'x' } } },
      [`${field}.properties[n].default: Invalid value: "string":  in body must be of type integer: "string"`],
    ],
    [
      'by every word',
      { [`${spec}.properties`]: { n: { type: 'integer', default: 0, minimum: 1 } } },
      [`${field}.properties[n].default: Invalid value: 0:  in body should be greater than or equal to 1`],
    ],
    [
      'and are whole',
      { [`${spec}.default`]: { extra: 1 }, [`${spec}.required`]: ['n'] },
      [
        `${field}.default: Invalid value: {"extra":1}: must not have unknown fields`,
        `${field}.default.n: Required value`,
      ],
    ],
    [
      'a schema of another kind is none',
      { [`${spec}.$schema`]: 'x' },
      [`spec.validation.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
    ],
    [
      'structural errors and errors of keywords are both reported',
      { [`${spec}.properties`]: { n: { type: 'integer' } }, [`${spec}.additionalProperties`]: {} },
      [
        `${field}.additionalProperties.type: Required value: must not be empty for specified object fields`,
        `${field}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
      ],
    ],
    [
      'maps are of fields below the root',
      { 'spec.versions.0.schema.openAPIV3Schema': { type: 'object', additionalProperties: { type: 'string' } } },
      ['spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root'],
    ],
    [
      'a field may be an integer or a string',
      { [`${spec}.properties`]: { n: { 'x-kubernetes-int-or-string': true } } },
      [],
    ],
    [
      'and is then not of any kind',
      { [spec]: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } },
      [
        `${field}.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
      ],
    ],
    [
      'conditions say nothing of the structure',
      { [`${spec}.not`]: { 'x-kubernetes-list-type': 'set', default: false } },
      [
        `${field}.not.default: Forbidden: must be undefined to be structural`,
        `${field}.not.x-kubernetes-list-type: Forbidden: must be undefined to be structural`,
        `${field}.not.type: Required value: must be array if x-kubernetes-list-type is specified`,
      ],
    ],
    [
      'and name fields that there are',
      { 'spec.versions.0.schema.openAPIV3Schema.anyOf': [{ properties: { other: { minimum: 1 } } }] },
      [
        'spec.validation.openAPIV3Schema.properties[other]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[other]',
      ],
    ],
    [
      'items of a set or map are not nullable',
      { [spec]: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', nullable: true } } },
      [`${field}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set`],
    ],
    [
      'keys of a map are required or have defaults',
      {
        [spec]: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', properties: { k: { type: 'string' } } },
        },
      },
      [
        `${field}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      'metadata is of the server',
      {
        'spec.versions.0.schema.openAPIV3Schema.properties.metadata': {
          type: 'object',
          properties: { uid: { type: 'string' } },
        },
      },
      [
        'spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      ],
    ],
    [
      'the root says little if the status is apart',
      { 'spec.versions.0.subresources': { status: {} }, 'spec.versions.0.schema.openAPIV3Schema.id': 'x' },
      [
        expect.stringContaining('fields are allowed at the root of the schema if the status subresource is enabled'),
        'spec.validation.openAPIV3Schema.id: Forbidden: id is not supported',
      ],
    ],
    [
      'rules compile',
      { [`${spec}.x-kubernetes-validations`]: [{ rule: 'it.n < 10' }] },
      [
        `${field}.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"it.n \\u003c 10","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:1: undeclared reference to 'it' (in container '')\n | it.n < 10\n | ^`,
      ],
    ],
    [
      'rules are about fields that there are',
      { [`${spec}.x-kubernetes-validations`]: [{ rule: 'has(self.n) && self.n > 0' }] },
      [expect.stringContaining(`compilation failed: ERROR: <input>:1:4: undefined field 'n'`)],
    ],
    [
      'which the root always has some of',
      {
        'spec.versions.0.schema.openAPIV3Schema.x-kubernetes-validations': [
          { rule: "self.metadata.name != 'x' && self.kind != ''" },
        ],
      },
      [],
    ],
    [
      'rules are true or false',
      { [`${spec}.x-kubernetes-validations`]: [{ rule: '1' }] },
      [expect.stringContaining('cel expression must evaluate to a bool')],
    ],
    [
      'a rule may point to a field',
      { [`${spec}.x-kubernetes-validations`]: [{ rule: 'true', fieldPath: 'n' }] },
      [`${field}.x-kubernetes-validations[0].fieldPath: Invalid value: "n": must be a valid path`],
    ],
    [
      'or to an entry of a map, with a dot or in brackets',
      {
        [spec]: {
          type: 'object',
          properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } },
          'x-kubernetes-validations': [
            { rule: 'true', fieldPath: '.labels.app' },
            { rule: 'true', fieldPath: ".labels['a.b/c']" },
            { rule: 'true', fieldPath: ".labels['\\q']" },
          ],
        },
      },
      [`${field}.x-kubernetes-validations[2].fieldPath: Invalid value: ".labels['\\\\q']": must be a valid path`],
    ],
    [
      'what was before is optional only where it counts',
      { [`${spec}.x-kubernetes-validations`]: [{ rule: 'true', optionalOldSelf: false }] },
      [
        `${field}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule`,
      ],
    ],
    [
      'items of plain lists have no past',
      {
        [spec]: {
          type: 'array',
          items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
        },
      },
      [
        `${field}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${field}`,
      ],
    ],
    ['references are not followed', { [`${spec}.$ref`]: '#/x' }, [`${field}.$ref: Forbidden: $ref is not supported`]],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(crd, changes)).toEqual(want);
  });
});
