import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { definitionByKind } from '../generated/kinds.js';
import { resources } from '../generated/resources.js';
import { schemaOf } from '../schemas.js';
import { fieldDescriptions } from './descriptions/fields.js';
import { kindDescriptions } from './descriptions/kinds.js';
import { openApiV3Index, openApiV3Names } from './openapi-index.js';
import { allOperations, openApiV2, openApiV2Part } from './openapi-v2.js';
import { openApiV3, openApiV3Other } from './openapi-v3.js';
import type { Operation } from './operations.js';
import { parameterOf } from './parameters.js';

const version = 'v1.36.0';
const facts = process.env.CORACLE_FACTS ?? new URL('../../../../../shared/facts', import.meta.url).pathname;
const pathsFile = `${facts}/paths.json`;

interface Fact {
  readonly action: string | null;
  readonly params: readonly string[];
  readonly codes: readonly string[];
}

describe('the operations', () => {
  it.skipIf(!existsSync(pathsFile))('DISC-14 have the paths, actions, parameters and codes of Kubernetes v1.36', () => {
    const { paths } = JSON.parse(readFileSync(pathsFile, 'utf8')) as { paths: Record<string, Record<string, Fact>> };
    const expected = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, fact]) => [`${method} ${path}`, fromFact(fact)] as const),
    );
    const made = allOperations(resources).map((one) => [`${one.method} ${one.path}`, fromOperation(one)] as const);
    expect(made.length).toBe(expected.length);
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(expected));
  });

  it('have names that differ', () => {
    const ids = allOperations(resources).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  const names: [string, string, string][] = [
    ['get', '/api/v1/pods', 'listCoreV1PodForAllNamespaces'],
    ['delete', '/apis/apps/v1/namespaces/{namespace}/deployments', 'deleteAppsV1CollectionNamespacedDeployment'],
    ['put', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale', 'replaceAppsV1NamespacedDeploymentScale'],
    ['get', '/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}', 'connectCoreV1GetNamespacedPodProxyWithPath'],
    ['get', '/apis/rbac.authorization.k8s.io/v1/watch/clusterroles', 'watchRbacAuthorizationV1ClusterRoleList'],
    ['get', '/apis/apps/', 'getAppsAPIGroup'],
  ];
  for (const [method, path, id] of names) {
    it(`${id} is ${method} ${path}`, () => {
      expect(allOperations(resources).find((one) => one.method === method && one.path === path)?.id).toBe(id);
    });
  }
});

describe('openApiV3', () => {
  const document = openApiV3({ groupVersion: { group: 'apps', version: 'v1' }, resources, version }) as Document3;
  const { schemas } = document.components;

  it('has the fields of a deployment, with extensions for server-side apply and defaults', () => {
    expect(schemas['io.k8s.api.apps.v1.DeploymentSpec']?.properties?.replicas).toEqual({
      description: 'How many pods there should be. One by default.',
      type: 'integer',
      format: 'int32',
    });
    expect(schemas['io.k8s.api.core.v1.PodSpec']?.properties?.containers).toEqual({
      description: 'The containers of the pod. At least one.',
      type: 'array',
      items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }] },
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(schemas['io.k8s.api.apps.v1.Deployment']?.['x-kubernetes-group-version-kind']).toEqual([
      { group: 'apps', kind: 'Deployment', version: 'v1' },
    ]);
    expect(schemas['io.k8s.api.apps.v1.DeploymentSpec']?.required).toEqual(['selector', 'template']);
    expect(schemas['io.k8s.api.core.v1.ConfigMapKeySelector']?.['x-kubernetes-map-type']).toBe('atomic');
  });

  it('DISC-16 describes only kinds and fields that there are', () => {
    const fieldsOf = (name: string) => {
      const schema = schemaOf(name);
      return schema.type === 'object' ? [...schema.fields.keys()] : [];
    };
    // Definitions of a group share descriptions, and each has some of the fields.
    const byGroup = new Map<string, Set<string>>();
    for (const name of Object.keys(fieldDescriptions)) {
      const group = name.split('/')[0] ?? '';
      byGroup.set(group, new Set([...(byGroup.get(group) ?? []), ...fieldsOf(name)]));
    }
    for (const [name, fields] of Object.entries(fieldDescriptions)) {
      const groupSchemas = byGroup.get(name.split('/')[0] ?? '') ?? new Set();
      expect(
        Object.keys(fields).filter((field) => !groupSchemas.has(field)),
        name,
      ).toEqual([]);
    }
    const kinds = Object.keys(definitionByKind).map((key) => key.replace(/\/[^/]+\//, '/'));
    expect(kinds).toEqual(expect.arrayContaining(Object.keys(kindDescriptions)));
  });

  it('describes every field of every definition', () => {
    const { definitions } = openApiV2({ resources, version }) as {
      definitions: Record<string, { properties?: Record<string, { description?: string }> }>;
    };
    const missing = Object.entries(definitions).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, { description }]) => (description ? [] : [`${name}.${field}`])),
    );
    expect(missing).toEqual([]);
  });

  it('has no dangling references', () => {
    for (const groupVersion of [
      { group: '', version: 'v1' },
      { group: 'apiextensions.k8s.io', version: 'v1' },
    ]) {
      const text = JSON.stringify(openApiV3({ groupVersion, resources, version }));
      const names = Object.keys((JSON.parse(text) as Document3).components.schemas);
      const references = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
      expect([...new Set(references)].sort()).toEqual(names.filter((name) => references.includes(name)));
    }
  });

  it('describes custom resources with the schema of their definition', () => {
    const custom = {
      group: 'stable.example.com',
      version: 'v1',
      kind: 'CronTab',
      resource: 'crontabs',
      singular: 'crontab',
      namespaced: true,
      shortNames: [],
      categories: [],
      verbs: ['get', 'list', 'watch', 'create'],
      subresources: [],
    };
    const schema = { type: 'object', properties: { spec: { type: 'object' } } };
    const made = openApiV3({
      groupVersion: custom,
      resources: [custom],
      version,
      customSchemas: () => schema,
    }) as Document3;
    expect(made.components.schemas['com.example.stable.v1.CronTab']?.properties?.spec).toEqual({ type: 'object' });
    expect(made.components.schemas['com.example.stable.v1.CronTabList']).toBeDefined();
    expect(Object.keys(made.paths)).toContain('/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}');
  });

  it('has a document for every entry of its index', () => {
    const names = openApiV3Names(resources);
    const index = openApiV3Index(names, (name) => `of-${name}`) as { paths: Record<string, object> };
    expect(index.paths['apis/apps/v1']).toEqual({
      serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=of-apis/apps/v1`,
    });
    const others = names.filter((name) => !/^api\/v1$|^apis\/[^/]+\/[^/]+$/.test(name));
    for (const name of others) expect(openApiV3Other(name, version), name).toBeDefined();
    expect(openApiV3Other('no/such', version)).toBeUndefined();
  });
});

describe('openApiV2', () => {
  it.each([
    ['whose schema preserves unknown fields', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['without a schema', undefined],
  ])('names no fields of a custom resource %s', (_name, schema) => {
    const custom = {
      group: 'example.com',
      version: 'v1',
      kind: 'Boat',
      resource: 'boats',
      singular: 'boat',
      namespaced: true,
      shortNames: [],
      categories: [],
      verbs: ['get', 'list'],
      subresources: [],
    };
    const document = openApiV2({ resources: [custom], version, customSchemas: () => schema });
    expect((document as { definitions: Record<string, object> }).definitions['com.example.v1.Boat']).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Boat', version: 'v1' }],
    });
  });

  it('AUTHN-11 describes bearer tokens in the header authorization, and no passwords', () => {
    expect(openApiV2({ resources, version })).toMatchObject({
      securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
      security: [{ BearerToken: [] }],
    });
  });

  it('has all definitions, and every parameter that it refers to', () => {
    const document = openApiV2({ resources, version }) as Document2;
    const text = JSON.stringify(document);
    for (const [, section = '', name = ''] of text.matchAll(/"#\/(definitions|parameters)\/([^"]+)"/g))
      expect(document[section as 'definitions' | 'parameters'][name], name).toBeDefined();
    expect(document.definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toEqual({
      type: 'string',
      format: 'int-or-string',
    });
    expect(document.paths['/api/v1/namespaces/{namespace}/pods']?.post?.['x-kubernetes-action']).toBe('post');
  });
});

interface Document3 {
  readonly paths: Record<string, object>;
  readonly components: {
    readonly schemas: Record<string, { properties?: Record<string, unknown> } & Record<string, unknown>>;
  };
}

interface Document2 {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
  readonly definitions: Record<string, unknown>;
  readonly parameters: Record<string, unknown>;
}

function fromFact({ action, params, codes }: Fact): object {
  // The part after the first hyphen distinguishes parameters with the same name.
  return { action, params: params.map((name) => name.replace(/-.*/, '')).sort(), codes: [...codes].sort() };
}

function fromOperation({ action, parameters, body, codes }: Operation): object {
  const names = parameters.map((key) => parameterOf(key).name);
  return {
    action: action ?? null,
    params: [...names, ...(body === 'none' ? [] : ['body'])].sort(),
    codes: [...codes.map(String), '401'].sort(),
  };
}

it('custom resources are patched in three ways, and their common fields are described', () => {
  const resource = {
    ...{ group: 'example.org', version: 'v1', kind: 'Boat', resource: 'boats', singular: 'boat', namespaced: true },
    ...{ shortNames: [], categories: [], verbs: ['get', 'patch'], subresources: [] },
  };
  const { paths, definitions } = openApiV2Part(resource, () => ({ type: 'object' })) as {
    paths: Record<string, { patch?: { consumes: string[]; produces: string[] } }>;
    definitions: Record<string, { properties: Record<string, { description?: string }> }>;
  };
  const { consumes, produces } = paths['/apis/example.org/v1/namespaces/{namespace}/boats/{name}']?.patch ?? {};
  expect({ consumes, produces }).toEqual({
    consumes: ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'],
    produces: ['application/json', 'application/yaml'],
  });
  const { properties = {} } = definitions['org.example.v1.Boat'] ?? {};
  expect(Object.values(properties).filter(({ description }) => !description)).toEqual([]);
  // Programs search for these texts in the output of kubectl explain, upstream's conformance tests among them.
  expect(properties['apiVersion']?.description).toMatch(/^APIVersion defines/);
  expect(properties['metadata']?.description).toMatch(/^Standard object's metadata/);
});
