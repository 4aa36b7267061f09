import { resources as allResources, rulesOf, schemaOfKind } from '@coracle/api';
import {
  apiVersionOf,
  type GroupResource,
  type KubeObject,
  type ObjectSchema,
  type ResourceInfo,
} from '@coracle/apimachinery';
import type { Tracer } from '@coracle/base';
import { conversionBetween } from '../conversion/built-in-conversion.js';
import type { ServedResource, StoredResource } from '../served-resource.js';
import { ObjectFormat } from '../storage/object-format.js';
import { ResourceStorage, type StorageDependencies } from '../watching/resource-storage.js';
import { traceEvents } from '../watching/trace-events.js';
import { SharedSpecs } from './interning/spec-interner.js';
import { TextMemory, textsKept } from './interning/text-memory.js';
import { checkRuntimeConfig, isEnabled, type RuntimeConfig } from './runtime-config.js';
import { storagePrefix } from './storage-prefix.js';
import { strategyOf } from './strategies.js';
import type { Strategy } from './strategy.js';

/** Resources of two groups with the same objects: they are stored in the first group. */
const cohabitants: Readonly<Record<string, GroupResource>> = {
  'events.k8s.io/events': { group: '', resource: 'events' },
};

/** Stored versions that are not the first one listed. */
const storedVersions: Readonly<Record<string, string>> = { 'autoscaling/horizontalpodautoscalers': 'v2' };

/** All served resources, by `group/version/resource`. Changes when custom resources are added and removed. */
export class ResourceTable {
  readonly #served = new Map<string, ServedResource>();
  /** By group and resource: looked up many times in a request. */
  readonly #stored = new Map<string, Map<string, StoredResource>>();
  /** The same as `#served`, by group. */
  readonly #groups = new Map<string, Set<ServedResource>>();
  #all: readonly ServedResource[] | undefined;
  #generation = 0;

  /** Increases when a resource is added or removed, so that discovery can be cached until then. */
  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#served.get(`${group}/${version}/${resource}`);
  }

  findStored({ group, resource }: GroupResource): StoredResource | undefined {
    return this.#stored.get(group)?.get(resource);
  }

  /** Prefix in the store, with a trailing slash. */
  storedAt(prefix: string): StoredResource | undefined {
    for (const stored of this.allStored()) if (stored.storage.cache.options.prefix === prefix) return stored;
    return undefined;
  }

  add(resource: ServedResource): void {
    const { group, version, resource: name } = resource.info;
    const key = `${group}/${version}/${name}`;
    const before = this.#served.get(key);
    if (before) this.#groups.get(group)?.delete(before);
    this.#served.set(key, resource);
    this.#groups.set(group, (this.#groups.get(group) ?? new Set()).add(resource));
    this.#stored.set(group, (this.#stored.get(group) ?? new Map()).set(name, resource.stored));
    resource.stored.versions.set(resource.apiVersion, resource);
    this.#changed();
  }

  remove(resource: ServedResource): void {
    const { info, apiVersion, stored } = resource;
    stored.versions.delete(apiVersion);
    this.#served.delete(`${info.group}/${info.version}/${info.resource}`);
    this.#groups.get(info.group)?.delete(resource);
    if (!this.inGroup(info.group).some((other) => other.info.resource === info.resource)) {
      this.#stored.get(info.group)?.delete(info.resource);
    }
    this.#changed();
  }

  all(): readonly ServedResource[] {
    this.#all ??= [...this.#served.values()];
    return this.#all;
  }

  inGroup(group: string): readonly ServedResource[] {
    return [...(this.#groups.get(group) ?? [])];
  }

  #changed(): void {
    this.#all = undefined;
    this.#generation++;
  }

  /** Each stored resource once. */
  allStored(): readonly StoredResource[] {
    return [...new Set([...this.#stored.values()].flatMap((inGroup) => [...inGroup.values()]))];
  }
}

export interface TableDependencies extends StorageDependencies {
  readonly tracer?: Tracer;
  /** Called with each stored object before it is shared. */
  readonly onShare?: ((value: object) => void) | undefined;
  /** Overrides the TTL of the strategy of events. */
  readonly eventTtlSeconds?: number | undefined;
  /** By `group/resource`: where built-in resources are stored that are not stored with the others. */
  readonly overrides?: ReadonlyMap<string, StorageDependencies>;
}

/** The built-in resources of the enabled versions. */
export function builtInResources(config: RuntimeConfig, deps: TableDependencies): ResourceTable {
  checkRuntimeConfig(config, allResources);
  const table = new ResourceTable();
  const served = allResources.filter((info) => isEnabled(config, info));
  const stored = new Map<string, StoredResource>();
  for (const info of served) {
    const owner = cohabitants[`${info.group}/${info.resource}`] ?? info;
    const name = `${owner.group}/${owner.resource}`;
    let target = stored.get(name);
    if (!target) {
      target = storedResource(storageInfo(served, owner) ?? info, deps);
      stored.set(name, target);
    }
    table.add(servedResource(info, target));
  }
  return table;
}

function storageInfo(served: readonly ResourceInfo[], { group, resource }: GroupResource): ResourceInfo | undefined {
  const versions = served.filter((info) => info.group === group && info.resource === resource);
  const version = storedVersions[`${group}/${resource}`];
  return versions.find((info) => info.version === version) ?? versions[0];
}

function storedResource(info: ResourceInfo, deps: TableDependencies): StoredResource {
  const { group, version, kind, resource, namespaced } = info;
  const strategy = expiringAfter(deps.eventTtlSeconds, strategyOf(info));
  const apiVersion = apiVersionOf(info);
  const prefix = storagePrefix(info);
  const { tracer } = deps;
  const rules = rulesOf<KubeObject>(info);
  const storage = new ResourceStorage(
    {
      prefix,
      namespaced,
      format: new ObjectFormat(apiVersion, kind, {
        onShare: deps.onShare,
        setDefaults: rules.setDefaults,
        textOf: new TextMemory(textsKept).textOf,
      }),
      indexedFields: indexedFields(strategy),
      uncached: strategy.uncached,
      onEvent: tracer?.follows(resource) ? traceEvents(tracer, resource, prefix) : undefined,
    },
    deps.overrides?.get(`${group}/${resource}`) ?? deps,
  );
  return {
    group,
    version,
    kind,
    resource,
    apiVersion,
    namespaced,
    schema: builtInSchema(info),
    rules,
    strategy,
    storage,
    specs: new SharedSpecs(deps.onShare),
    versions: new Map(),
    bareItems: true,
  };
}

/** Only events expire. */
function expiringAfter(ttlSeconds: number | undefined, strategy: Strategy): Strategy {
  return ttlSeconds === undefined || strategy.ttlSeconds === undefined ? strategy : { ...strategy, ttlSeconds };
}

function indexedFields(strategy: Strategy): Record<string, (object: KubeObject) => string> {
  const fields: Record<string, (object: KubeObject) => string> = {};
  for (const name of strategy.indexedFields ?? []) {
    const read = strategy.selectableFields?.[name];
    if (read) fields[name] = read;
  }
  return fields;
}

function servedResource(info: ResourceInfo, stored: StoredResource): ServedResource {
  const apiVersion = apiVersionOf(info);
  const conversion = apiVersion === stored.apiVersion ? undefined : conversionBetween(info, stored);
  const selectableFields = stored.strategy.selectableFieldsIn?.[info.group];
  return {
    info,
    apiVersion,
    listKind: `${info.kind}List`,
    schema: builtInSchema(info),
    rules: rulesOf<KubeObject>(info),
    stored,
    ...(conversion && { conversion }),
    ...(selectableFields && { selectableFields }),
  };
}

function builtInSchema(info: ResourceInfo): ObjectSchema {
  const schema = schemaOfKind(info);
  if (!schema) throw new Error(`no schema for ${apiVersionOf(info)} ${info.kind}`);
  return schema;
}
