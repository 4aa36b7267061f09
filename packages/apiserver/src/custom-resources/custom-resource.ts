import { type apiextensionsv1, type KindRules, printerFromColumns } from '@coracle/api';
import {
  apiVersionOf,
  decodeObject,
  fieldReader,
  type GroupVersionKind,
  type KubeObject,
  type ObjectSchema,
  type ResourceInfo,
  type TablePrinter,
} from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
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
import { customRules } from './custom-rules.js';
import { type JsonSchema, objectSchemaOf } from './structural-schema.js';

type Version = apiextensionsv1.CustomResourceDefinitionVersion;

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** Whether the schema of a version has a default somewhere. */
export function hasDefaults(version: Version): boolean {
  return hasDefault(schemaOf(version));
}

function hasDefault(schema: JsonSchema): boolean {
  if (schema.default !== undefined) return true;
  const { properties, items, additionalProperties } = schema;
  for (const name in properties) if (hasDefault(properties[name] as JsonSchema)) return true;
  return [items, additionalProperties].some((below) => isRecord(below) && hasDefault(below as JsonSchema));
}

/** Where the objects of a definition are kept. It outlives changes of the schema, but for those of defaults. */
export function customStorage(definition: CustomResourceDefinition, deps: TableDependencies): ResourceStorage {
  const { group, names, scope } = definition.spec;
  const version = storedVersion(definition);
  return new ResourceStorage(
    {
      prefix: `${storageRoot}${group}/${names.plural}/`,
      namespaced: scope === 'Namespaced',
      format: new ObjectFormat(apiVersionOf({ group, version: version.name }), names.kind, {
        onShare: deps.onShare,
        setDefaults: customRules(schemaOf(version)).setDefaults,
        textOf: new TextMemory(textsKept).textOf,
        setsDefaultsOfAll: hasDefaults(version),
      }),
      indexedFields: {},
    },
    deps,
  );
}

export function storedVersion({ spec }: CustomResourceDefinition): Version {
  const version = spec.versions.find(({ storage }) => storage);
  if (!version) throw new Error(`${spec.names.plural}.${spec.group} has no version that is stored`);
  return version;
}

/** What a definition makes the server serve: one resource for each version that is served. */
export function customResources(
  definition: CustomResourceDefinition,
  storage: ResourceStorage,
  deps: ConversionDependencies,
): ServedResource[] {
  const stored = storedResource(definition, storage, deps);
  return definition.spec.versions
    .filter(({ served }) => served)
    .map((version) => servedResource(definition, { version, stored }, deps));
}

function storedResource(
  definition: CustomResourceDefinition,
  storage: ResourceStorage,
  deps: ConversionDependencies,
): StoredResource {
  const { group, names, scope } = definition.spec;
  const version = storedVersion(definition);
  const kind: GroupVersionKind = { group, version: version.name, kind: names.kind };
  const apiVersion = apiVersionOf(kind);
  const conversion = conversionOf(definition, { served: apiVersion, stored: apiVersion }, deps);
  const machinery = machineryOf(version);
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

/** What reads, checks and shows the objects of a version. */
interface Machinery {
  readonly schema: ObjectSchema;
  readonly rules: KindRules<KubeObject>;
  readonly printer: TablePrinter;
}

const machineries = new WeakMap<Version, Machinery>();

/** Made when an object is first met: of a thousand CRDs, few are used. */
function machineryOf(version: Version): Machinery {
  const made = machineries.get(version) ?? lazyMachinery(version);
  machineries.set(version, made);
  return made;
}

function lazyMachinery(version: Version): Machinery {
  let schema: ObjectSchema | undefined;
  let rules: KindRules<KubeObject> | undefined;
  let printer: TablePrinter | undefined;
  return {
    get schema() {
      return (schema ??= objectSchemaOf(schemaOf(version)));
    },
    get rules() {
      return (rules ??= customRules(schemaOf(version), version.subresources?.scale));
    },
    get printer() {
      return (printer ??= printerFromColumns(version.additionalPrinterColumns));
    },
  };
}

function customStrategy({ selectableFields = [] }: Version): Strategy {
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

function servedResource(
  definition: CustomResourceDefinition,
  { version, stored }: { readonly version: Version; readonly stored: StoredResource },
  deps: ConversionDependencies,
): ServedResource {
  const { group, names } = definition.spec;
  const apiVersion = apiVersionOf({ group, version: version.name });
  const { uid = '', generation = 0 } = definition.metadata;
  const json = schemaOf(version);
  const machinery = machineryOf(version);
  const conversion = conversionOf(definition, { served: apiVersion, stored: stored.apiVersion }, deps);
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
    jsonSchema: json as Readonly<Record<string, unknown>>,
    ...(conversion && { conversion }),
    ...(!hasDefinitionCondition(definition, 'Established') && { isUndiscovered: true }),
    ...(scale && { scalePaths: scale }),
    ...(version.deprecated && {
      deprecation: version.deprecationWarning ?? `${apiVersion} ${names.kind} is deprecated`,
    }),
  };
}

function infoOf({ metadata, spec }: CustomResourceDefinition, version: Version): ResourceInfo {
  const { group, names, scope } = spec;
  const kind = { group, version: version.name, kind: names.kind };
  const { status, scale } = version.subresources ?? {};
  // Of a definition that goes, nothing new is made.
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

function schemaOf({ schema }: Version) {
  return schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
}

/** Between the version that is served and the one that is stored. */
function conversionOf(
  { spec }: CustomResourceDefinition,
  versions: { readonly served: string; readonly stored: string },
  deps: ConversionDependencies,
): Conversion | undefined {
  const { strategy, webhook } = spec.conversion ?? {};
  // In the stored version too: what was stored before that version was chosen is in another one.
  if (strategy === 'Webhook' && webhook) return webhookConversion(deps, webhook, versions);
  return versions.served === versions.stored ? undefined : renaming(versions, spec.versions);
}

/** Nothing is converted but the name of the version; what the other version does not have is dropped. */
function renaming(
  versions: { readonly served: string; readonly stored: string },
  spec: readonly Version[],
): Conversion {
  const to = (apiVersion: string) => {
    const version = spec.find(({ name }) => apiVersion.endsWith(`/${name}`));
    let schema: ObjectSchema | undefined;
    return (object: KubeObject): KubeObject => {
      schema ??= objectSchemaOf(version ? schemaOf(version) : { 'x-kubernetes-preserve-unknown-fields': true });
      return { ...decodeObject<KubeObject>(object, schema).object, apiVersion };
    };
  };
  return {
    kind: 'local',
    toStored: (object) => ({ ...object, apiVersion: versions.stored }),
    prune: to(versions.stored),
    fromStored: to(versions.served),
  };
}
