import {
  apiVersionOf,
  decodeObject,
  fieldReader,
  type GroupVersionKind,
  type KubeObject,
  type ResourceInfo,
} from '@coracle/apimachinery';
import { andThen } from '@coracle/base';
import { type Conversion, toStorageVersion } from '../conversion/conversion.js';
import { type CustomResourceDefinition, hasCrdCondition } from '../registry/apiextensions/crd-status.js';
import { SharedSpecs } from '../registry/interning/spec-interner.js';
import { TextMemory, textsKept } from '../registry/interning/text-memory.js';
import { clientMetadata } from '../registry/keep-metadata.js';
import type { TableDependencies } from '../registry/resource-table.js';
import { storageRoot } from '../registry/storage-prefix.js';
import type { Strategy } from '../registry/strategy.js';
import {
  type SelectableFields,
  type ServedResource,
  type StoredResource,
  withoutConversion,
} from '../served-resource.js';
import { ObjectFormat } from '../storage/object-format.js';
import { ResourceStorage } from '../watching/resource-storage.js';
import { type ConversionDependencies, type Prune, webhookConversion } from './conversion/webhook-conversion.js';
import {
  type CrdParts,
  hasDefaults,
  partsOf,
  schemaOf,
  type VersionMachinery,
  type VersionParts,
  type VersionSchemas,
} from './version-machinery.js';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/**
 * Cache of the objects of a CRD. It outlives changes of the CRD that do not change how objects in the store are read.
 */
export function customStorage(
  crd: CustomResourceDefinition,
  schemas: VersionSchemas,
  deps: TableDependencies,
): ResourceStorage {
  const { group, names, scope } = crd.spec;
  const version = storedVersion(crd);
  const mayHaveLostFields = hasEarlierSchemas(crd);
  // Not the CRD itself, which consists mostly of schemas: what is computed here is kept for every CRD.
  const { spec } = partsOf(crd);
  return new ResourceStorage(
    {
      prefix: `${storageRoot}${group}/${names.plural}/`,
      namespaced: scope === 'Namespaced',
      format: new ObjectFormat(apiVersionOf({ group, version: version.name }), names.kind, {
        onShare: deps.onShare,
        setDefaults: (object) => schemas.machinery(versionOf(spec, object)).rules.setDefaults?.(object),
        textOf: new TextMemory(textsKept).textOf,
        setsDefaultsOfAll: haveDefaults(crd),
        keepsVersions: isConvertedByWebhook(crd),
        ...(mayHaveLostFields && {
          prune: (object) => decodeObject<KubeObject>(object, schemas.machinery(versionOf(spec, object)).schema).object,
        }),
      }),
      indexedFields: {},
    },
    deps,
  );
}

export function storedVersion<V extends VersionParts>({
  spec,
}: {
  readonly spec: Omit<CrdParts['spec'], 'versions'> & { readonly versions: readonly V[] };
}): V {
  const version = spec.versions.find(({ storage }) => storage);
  if (!version) throw new Error(`${spec.names.plural}.${spec.group} has no version that is stored`);
  return version;
}

/** Whether objects may have been written by another schema than that of today: the spec has changed since it was made. */
export function hasEarlierSchemas({ metadata }: CustomResourceDefinition): boolean {
  return (metadata.generation ?? 1) > 1;
}

/** The names of the versions that objects in the store may be in: any, unless they were all written by this spec. */
export function versionsInStore(crd: CustomResourceDefinition): readonly string[] {
  return hasEarlierSchemas(crd) ? crd.spec.versions.map(({ name }) => name) : [storedVersion(crd).name];
}

/** Whether objects in the store may lack defaults: each is read by the schema of the version that it is in. */
export function haveDefaults(crd: CustomResourceDefinition): boolean {
  return versionsInStore(crd).some((name) => hasDefaults(schemaOf(crd, name)));
}

/** Whether objects that were stored in another version are more than renamed. */
export function isConvertedByWebhook({ spec }: CrdParts | CustomResourceDefinition): boolean {
  return spec.conversion?.strategy === 'Webhook';
}

/** The version that an object is in; the stored one if it is none of the CRD's. */
function versionOf(spec: CrdParts['spec'], { apiVersion }: KubeObject): VersionParts {
  const { group, versions } = spec;
  return versions.find(({ name }) => apiVersion === apiVersionOf({ group, version: name })) ?? storedVersion({ spec });
}

/** What the resources of a CRD are made from. */
interface Source {
  readonly crd: CrdParts;
  readonly schemas: VersionSchemas;
  readonly storage: ResourceStorage;
  readonly deps: ConversionDependencies;
}

/** What a CRD makes the server serve: one resource for each version that is served. */
export function customResources(source: Source): ServedResource[] {
  const stored = storedResource(source, storedVersion(source.crd));
  return source.crd.spec.versions
    .filter(({ served }) => served)
    .map((version) => servedResource(source, version, stored));
}

/** The resource in a version in which it is written: the stored one, or that of a request. */
function storedResource(source: Source, version: VersionParts): StoredResource {
  const { crd, schemas, storage } = source;
  const { group, names, scope } = crd.spec;
  const kind: GroupVersionKind = { group, version: version.name, kind: names.kind };
  const apiVersion = apiVersionOf(kind);
  const final = storedVersion(crd);
  const conversion = conversionOf(source, { served: apiVersion, stored: apiVersionOf({ group, version: final.name }) });
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
    ...(conversion && { conversion }),
    ...(conversion && version.name !== final.name && { toStorage: storing(conversion, schemas.machinery(final)) }),
  };
}

/** What reads the store fills in defaults of the stored version, so what has just been written has them too. */
function storing(conversion: Conversion, machinery: VersionMachinery): NonNullable<StoredResource['toStorage']> {
  return (object) =>
    andThen(toStorageVersion(conversion, object), (stored) => {
      machinery.rules.setDefaults?.(stored);
      return stored;
    });
}

/** What writes in one version see: the resource as if it were stored in that, and the others by the way to it. */
function writtenResource(source: Source, version: VersionParts): ServedResource {
  const stored = storedResource(source, version);
  const served = source.crd.spec.versions.filter((one) => one.served);
  for (const one of served) {
    const resource = servedResource(source, one, stored);
    stored.versions.set(resource.apiVersion, withoutOwnConversion(resource, stored));
  }
  return stored.versions.get(stored.apiVersion) as ServedResource;
}

/** What is in the version of the write already is not converted. */
function withoutOwnConversion(resource: ServedResource, { apiVersion }: StoredResource): ServedResource {
  return resource.apiVersion === apiVersion ? withoutConversion(resource) : resource;
}

function selectableFieldsOf({ selectableFields = [] }: VersionParts): SelectableFields {
  const fields = selectableFields.map(({ jsonPath }) => {
    const read = fieldReader(jsonPath);
    const value = (object: KubeObject) => {
      const found = read(object);
      return found === undefined || found === null ? '' : String(found);
    };
    return [jsonPath.replace(/^\./, ''), value] as const;
  });
  return Object.fromEntries(fields);
}

function customStrategy(version: VersionParts): Strategy {
  return {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    selectableFields: selectableFieldsOf(version),
    statusKeeps: clientMetadata,
  };
}

function servedResource(source: Source, version: VersionParts, stored: StoredResource): ServedResource {
  const { crd, schemas } = source;
  const { group, names } = crd.spec;
  const apiVersion = apiVersionOf({ group, version: version.name });
  const { uid = '', generation = 0 } = crd.metadata;
  const machinery = schemas.machinery(version);
  const conversion = conversionOf(source, { served: apiVersion, stored: stored.apiVersion });
  const scale = version.subresources?.scale;
  let written: ServedResource | undefined;
  return {
    info: infoOf(crd, version),
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
    get written() {
      if (apiVersion === stored.apiVersion) return undefined;
      return (written ??= writtenResource(source, version));
    },
    stored,
    revision: `${uid} ${generation}`,
    jsonSchema: () => schemas.json(version.name) as Readonly<Record<string, unknown>>,
    ...(conversion && { conversion, selectableFields: selectableFieldsOf(version) }),
    ...(!hasCrdCondition(crd, 'Established') && { isUndiscovered: true }),
    ...(scale && { scalePaths: scale }),
    ...(version.deprecated && {
      deprecation: version.deprecationWarning ?? `${apiVersion} ${names.kind} is deprecated`,
    }),
  };
}

function infoOf({ metadata, spec }: CrdParts, version: VersionParts): ResourceInfo {
  const { group, names, scope } = spec;
  const kind = { group, version: version.name, kind: names.kind };
  const { status, scale } = version.subresources ?? {};
  // For a CRD that is being deleted, nothing new is computed.
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
  { crd: { spec }, schemas, deps }: Source,
  versions: { readonly served: string; readonly stored: string },
): Conversion | undefined {
  const { strategy, webhook } = spec.conversion ?? {};
  // In the stored version too: what was stored before that version was chosen is in another one.
  if (strategy === 'Webhook' && webhook)
    return webhookConversion({ ...deps, prune: pruner(spec, schemas) }, webhook, versions);
  return versions.served === versions.stored ? undefined : renaming(versions, pruner(spec, schemas));
}

/** Drops from an object what the version that it is to be in does not have. */
function pruner({ versions }: CrdParts['spec'], schemas: VersionSchemas): Prune {
  return (object, apiVersion) => {
    const version = versions.find(({ name }) => apiVersion.endsWith(`/${name}`));
    return version ? decodeObject<KubeObject>(object, schemas.machinery(version).schema).object : object;
  };
}

/** Only `apiVersion` is converted; fields that the other version does not have are dropped. */
function renaming(versions: { readonly served: string; readonly stored: string }, prune: Prune): Conversion {
  const to = (apiVersion: string) => (object: KubeObject) => ({ ...prune(object, apiVersion), apiVersion });
  return {
    kind: 'local',
    toStored: (object) => ({ ...object, apiVersion: versions.stored }),
    prune: to(versions.stored),
    fromStored: to(versions.served),
  };
}
