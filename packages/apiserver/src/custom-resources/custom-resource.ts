import {
  apiVersionOf,
  decodeObject,
  fieldReader,
  type GroupVersionKind,
  type KubeObject,
  type ResourceInfo,
} from '@coracle/apimachinery';
import type { Conversion } from '../conversion/conversion.js';
import { type CustomResourceDefinition, hasDefinitionCondition } from '../registry/apiextensions/crd-status.js';
import { SharedSpecs } from '../registry/interning/spec-interner.js';
import { TextMemory, textsKept } from '../registry/interning/text-memory.js';
import { keepMetadata } from '../registry/keep-metadata.js';
import type { TableDependencies } from '../registry/resource-table.js';
import { storageRoot } from '../registry/storage-prefix.js';
import type { Strategy } from '../registry/strategy.js';
import { keepAllButStatus } from '../registry/update-object.js';
import type { ServedResource, StoredResource } from '../served-resource.js';
import { ObjectFormat } from '../storage/object-format.js';
import { ResourceStorage } from '../watching/resource-storage.js';
import { type ConversionDependencies, webhookConversion } from './conversion/webhook-conversion.js';
import {
  type DefinitionParts,
  hasDefaults,
  schemaOf,
  type VersionParts,
  type VersionSchemas,
} from './version-machinery.js';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** Where the objects of a CRD are kept. It outlives changes of the schema, but for those of defaults. */
export function customStorage(
  definition: CustomResourceDefinition,
  schemas: VersionSchemas,
  deps: TableDependencies,
): ResourceStorage {
  const { group, names, scope } = definition.spec;
  const version = storedVersion(definition);
  const machinery = schemas.machinery(version);
  return new ResourceStorage(
    {
      prefix: `${storageRoot}${group}/${names.plural}/`,
      namespaced: scope === 'Namespaced',
      format: new ObjectFormat(apiVersionOf({ group, version: version.name }), names.kind, {
        onShare: deps.onShare,
        setDefaults: (object) => machinery.rules.setDefaults?.(object),
        textOf: new TextMemory(textsKept).textOf,
        setsDefaultsOfAll: hasDefaults(schemaOf(definition, version.name)),
      }),
      indexedFields: {},
    },
    deps,
  );
}

export function storedVersion<V extends VersionParts>({
  spec,
}: {
  readonly spec: Omit<DefinitionParts['spec'], 'versions'> & { readonly versions: readonly V[] };
}): V {
  const version = spec.versions.find(({ storage }) => storage);
  if (!version) throw new Error(`${spec.names.plural}.${spec.group} has no version that is stored`);
  return version;
}

/** What the resources of a CRD are made from. */
interface Source {
  readonly definition: DefinitionParts;
  readonly schemas: VersionSchemas;
  readonly storage: ResourceStorage;
  readonly deps: ConversionDependencies;
}

/** What a CRD makes the server serve: one resource for each version that is served. */
export function customResources(source: Source): ServedResource[] {
  const stored = storedResource(source);
  return source.definition.spec.versions
    .filter(({ served }) => served)
    .map((version) => servedResource(source, version, stored));
}

function storedResource(source: Source): StoredResource {
  const { definition, schemas, storage } = source;
  const { group, names, scope } = definition.spec;
  const version = storedVersion(definition);
  const kind: GroupVersionKind = { group, version: version.name, kind: names.kind };
  const apiVersion = apiVersionOf(kind);
  const conversion = conversionOf(source, { served: apiVersion, stored: apiVersion });
  const machinery = schemas.machinery(version);
  return {
    ...kind,
    resource: names.plural,
    apiVersion,
    namespaced: scope === 'Namespaced',
    get schema() {
      return machinery.schema;
    },
    get rules() {
      return machinery.rules;
    },
    strategy: customStrategy(version),
    storage,
    specs: new SharedSpecs(),
    versions: new Map(),
    bareItems: false,
    ...(conversion?.kind === 'remote' && { conversion }),
  };
}

function customStrategy({ selectableFields = [] }: VersionParts): Strategy {
  const fields = selectableFields.map(({ jsonPath }) => {
    const read = fieldReader(jsonPath);
    const value = (object: KubeObject) => {
      const found = read(object);
      return found === undefined || found === null ? '' : String(found);
    };
    return [jsonPath.replace(/^\./, ''), value] as const;
  });
  return {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    selectableFields: Object.fromEntries(fields),
    prepareForStatusUpdate(object, previous) {
      keepAllButStatus(object, previous);
      keepMetadata(object, previous);
    },
    resetFields: (subresource) => (subresource === 'status' ? { 'f:metadata': {}, 'f:spec': {} } : undefined),
  };
}

function servedResource(source: Source, version: VersionParts, stored: StoredResource): ServedResource {
  const { definition, schemas } = source;
  const { group, names } = definition.spec;
  const apiVersion = apiVersionOf({ group, version: version.name });
  const { uid = '', generation = 0 } = definition.metadata;
  const machinery = schemas.machinery(version);
  const conversion = conversionOf(source, { served: apiVersion, stored: stored.apiVersion });
  const scale = version.subresources?.scale;
  return {
    info: infoOf(definition, version),
    apiVersion,
    listKind: names.listKind ?? `${names.kind}List`,
    get schema() {
      return machinery.schema;
    },
    get rules() {
      return machinery.rules;
    },
    get printer() {
      return machinery.printer;
    },
    stored,
    revision: `${uid} ${generation}`,
    jsonSchema: () => schemas.json(version.name) as Readonly<Record<string, unknown>>,
    ...(conversion && { conversion }),
    ...(!hasDefinitionCondition(definition, 'Established') && { isUndiscovered: true }),
    ...(scale && { scalePaths: scale }),
    ...(version.deprecated && {
      deprecation: version.deprecationWarning ?? `${apiVersion} ${names.kind} is deprecated`,
    }),
  };
}

function infoOf({ metadata, spec }: DefinitionParts, version: VersionParts): ResourceInfo {
  const { group, names, scope } = spec;
  const kind = { group, version: version.name, kind: names.kind };
  const { status, scale } = version.subresources ?? {};
  // Of a CRD that goes, nothing new is made.
  const isGoing = metadata.deletionTimestamp !== undefined;
  return {
    ...kind,
    resource: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    namespaced: scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: isGoing ? verbs.filter((verb) => verb !== 'create') : verbs,
    subresources: [
      ...(status ? [{ ...kind, name: 'status', verbs: subresourceVerbs }] : []),
      ...(scale
        ? [{ group: 'autoscaling', version: 'v1', kind: 'Scale', name: 'scale', verbs: subresourceVerbs }]
        : []),
    ],
  };
}

/** Between the version that is served and the one that is stored. */
function conversionOf(
  { definition: { spec }, schemas, deps }: Source,
  versions: { readonly served: string; readonly stored: string },
): Conversion | undefined {
  const { strategy, webhook } = spec.conversion ?? {};
  // In the stored version too: what was stored before that version was chosen is in another one.
  if (strategy === 'Webhook' && webhook) return webhookConversion(deps, webhook, versions);
  return versions.served === versions.stored ? undefined : renaming(versions, spec.versions, schemas);
}

/** Nothing is converted but the name of the version; what the other version does not have is dropped. */
function renaming(
  versions: { readonly served: string; readonly stored: string },
  all: readonly VersionParts[],
  schemas: VersionSchemas,
): Conversion {
  const to = (apiVersion: string) => {
    const version = all.find(({ name }) => apiVersion.endsWith(`/${name}`));
    return (object: KubeObject): KubeObject => {
      const known = version ? decodeObject<KubeObject>(object, schemas.machinery(version).schema).object : object;
      return { ...known, apiVersion };
    };
  };
  return {
    kind: 'local',
    toStored: (object) => ({ ...object, apiVersion: versions.stored }),
    prune: to(versions.stored),
    fromStored: to(versions.served),
  };
}
