import { rulesOf } from '@coracle/api';
import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { crdOf, defineResource, type ObjectOf } from './define-resource.js';
import { pluralOf } from './plural-of.js';
import { s } from './schema-builders.js';
import type { AnyNode } from './schema-node.js';

const Website = defineResource({
  group: 'example.org',
  version: 'v1',
  kind: 'Website',
  shortNames: ['site'],
  spec: s
    .object({
      host: s
        .string()
        .pattern(/^[a-z.]+$/)
        .max(253)
        .immutable(),
      replicas: s.int32().min(0).max(10).default(1),
      pages: s.map(s.string()).optional(),
      ports: s
        .array(s.object({ name: s.string(), port: s.integer().default(80) }))
        .mapBy('name')
        .max(8)
        .optional(),
    })
    .validate('self.replicas > 0 || !has(self.pages)', { message: 'pages need at least one replica' }),
  status: s.object({ ready: s.integer().optional(), conditions: s.conditions().optional() }),
  printerColumns: [{ name: 'Ready', type: 'integer', jsonPath: '.status.ready' }],
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.ready' },
  selectableFields: ['.spec.host'],
  validations: [{ rule: 'self.metadata.name.size() < 40' }],
});

describe('a defined resource', () => {
  test('is a reference for clients and caches', () => {
    const { group, version, resource, kind, namespaced, singular, listKind } = Website;
    expect({ group, version, resource, kind, namespaced, singular, listKind }).toEqual({
      group: 'example.org',
      version: 'v1',
      resource: 'websites',
      kind: 'Website',
      namespaced: true,
      singular: 'website',
      listKind: 'WebsiteList',
    });
  });

  test('has a type for reading, in which defaults are always set', () => {
    type Site = ObjectOf<typeof Website>;
    expectTypeOf<Site['spec']['host']>().toEqualTypeOf<string>();
    expectTypeOf<Site['spec']['replicas']>().toEqualTypeOf<number>();
    expectTypeOf<Site['spec']['pages']>().toEqualTypeOf<Record<string, string> | undefined>();
    expectTypeOf<NonNullable<Site['spec']['ports']>[number]>().toEqualTypeOf<{ name: string; port: number }>();
    expectTypeOf<NonNullable<Site['status']>['ready']>().toEqualTypeOf<number | undefined>();
  });

  test('creates objects with the server’s defaults', () => {
    expect(Website.make({ metadata: { name: 'a' }, spec: { host: 'a.org', ports: [{ name: 'web' }] } })).toEqual({
      apiVersion: 'example.org/v1',
      kind: 'Website',
      metadata: { name: 'a' },
      spec: { host: 'a.org', replicas: 1, ports: [{ name: 'web', port: 80 }] },
    });
  });

  test('KB-6 generates the manifest of its CRD', () => {
    const { metadata, spec } = Website.crd;
    expect(metadata.name).toBe('websites.example.org');
    expect(spec.names).toEqual({
      kind: 'Website',
      listKind: 'WebsiteList',
      plural: 'websites',
      singular: 'website',
      shortNames: ['site'],
    });
    expect(spec.scope).toBe('Namespaced');
    expect(spec.versions).toMatchObject([
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.ready' },
        },
        additionalPrinterColumns: [{ name: 'Ready', type: 'integer', jsonPath: '.status.ready' }],
        selectableFields: [{ jsonPath: '.spec.host' }],
      },
    ]);
    expect(spec.versions[0]?.schema?.openAPIV3Schema).toMatchObject({
      required: ['spec'],
      'x-kubernetes-validations': [{ rule: 'self.metadata.name.size() < 40' }],
      properties: {
        spec: {
          required: ['host'],
          properties: {
            host: {
              type: 'string',
              pattern: '^[a-z.]+$',
              maxLength: 253,
              'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'Value is immutable' }],
            },
            replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, default: 1 },
            ports: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], maxItems: 8 },
          },
        },
      },
    });
  });

  test('in several versions stores one of them', () => {
    const old = defineResource({ ...Website.options, version: 'v1beta1', deprecated: 'use v1' });
    const { versions } = crdOf([old, Website], { storedVersion: 'v1' }).spec;
    expect(versions.map(({ name, storage, deprecationWarning }) => [name, storage, deprecationWarning])).toEqual([
      ['v1beta1', false, 'use v1'],
      ['v1', true, undefined],
    ]);
  });
});

describe('the server accepts', () => {
  const problemsOf = (spec: AnyNode) => {
    const ref = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
    const crd = defineResource({ group: 'example.org', version: 'v1', kind: 'Thing', spec }).crd;
    const rules = rulesOf(ref);
    // The strategy of the server notes which version is stored before it validates.
    const defaulted = { ...structuredClone(crd), status: { storedVersions: ['v1'] } };
    rules.setDefaults?.(defaulted);
    return (rules.validate?.(defaulted) ?? []).map(formatFieldError);
  };

  test.each<[string, AnyNode]>([
    ['the website', Website.options.spec],
    ['a text of a few words', s.string().enum('a', 'b').default('a')],
    ['numbers with limits', s.object({ n: s.number().min(0, { exclusive: true }).max(1).multipleOf(0.5) })],
    ['a flag that may be null', s.object({ on: s.boolean().nullable().optional() })],
    ['a number or a percentage', s.object({ most: s.intOrString() })],
    ['an amount', s.object({ memory: s.quantity().default('64Mi') })],
    ['times and durations', s.object({ at: s.time().optional(), period: s.duration() })],
    ['a set', s.object({ names: s.array(s.string()).set() })],
    ['a list that is replaced as a whole', s.object({ names: s.array(s.object({ a: s.string() })).atomic() })],
    ['one of several', s.object({ source: s.oneOf({ git: s.object({ url: s.string() }), inline: s.string() }) })],
    ['another object', s.object({ template: s.embedded() })],
    ['anything', s.object({ values: s.any() })],
    ['an object with fields of others', s.object({ a: s.string() }).open().atomic()],
    ['conditions', s.object({ conditions: s.conditions().optional() })],
  ])('%s', (_, spec) => {
    expect(problemsOf(spec)).toEqual([]);
  });

  test('and reports the errors of a schema that it would refuse', () => {
    expect(problemsOf(s.object({ a: s.array(s.string()).with({ uniqueItems: true }) }))).toEqual([
      expect.stringContaining('properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true'),
    ]);
  });
});

test.each([
  ['website', 'websites'],
  ['policy', 'policies'],
  ['gateway', 'gateways'],
  ['ingress', 'ingresses'],
  ['mesh', 'meshes'],
  ['box', 'boxes'],
])('the plural of %s is %s', (singular, plural) => {
  expect(pluralOf(singular)).toBe(plural);
});
