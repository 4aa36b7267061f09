import {
  badRequest,
  FieldSelector,
  type KubeObject,
  LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  type StatusError,
} from '@coracle/apimachinery';
import type { RequestContext } from '../handler-chain.js';
import type { SelectableFields, ServedResource, StoredResource } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { CacheQuery } from './watch-cache.js';
import type { WatchScope } from './watcher-index.js';

/** The objects of a resource that a request selects. */
export interface Selection {
  readonly namespace: string;
  /** Set if at most one object can be selected. */
  readonly name: string | undefined;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** True if the namespace is the only condition. */
  readonly selectsAll: boolean;
  matches(object: StoredObject): boolean;
  /**
   * The conditions that `matches` cannot evaluate: field selectors on a remotely converted version. For converted
   * objects.
   */
  readonly matchesServed?: (object: StoredObject) => boolean;
  /** The query for the cache. */
  readonly query: CacheQuery;
  readonly scope: WatchScope;
}

type FieldReader = (object: KubeObject) => string;

const metadataFields: Readonly<Record<string, FieldReader>> = {
  'metadata.name': ({ metadata }) => metadata.name ?? '',
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
};

export function parseSelection({ info, query, request }: RequestContext, resource: ServedResource): Selection {
  const hasQuery = request.query !== '';
  const labels = readLabels(hasQuery ? (query.get('labelSelector') ?? '') : '');
  const fields = readFields(hasQuery ? (query.get('fieldSelector') ?? '') : '', resource);
  const pathName = info.parts[1];
  const name = pathName ?? fields.requiredValue('metadata.name');
  if (pathName !== undefined && (fields.requiredValue('metadata.name') ?? pathName) !== pathName) {
    throw badRequest(
      `both a name and a field selector provided: fieldSelector metadata.name doesn't match requested name`,
    );
  }
  return selectionOf(resource, {
    namespace: resource.info.namespaced ? info.namespace : '',
    name,
    labels,
    fields,
  });
}

function selectionOf(
  resource: ServedResource,
  parts: Pick<Selection, 'namespace' | 'name' | 'labels' | 'fields'>,
): Selection {
  const { stored } = resource;
  const { namespace, name, labels, fields } = parts;
  const selectable = selectableFieldsOf(resource);
  const isRemote = resource.conversion?.kind === 'remote';
  const conditions = fields.requirements.map(({ field, operator, value }) => ({
    read: metadataFields[field] ?? selectable[field] ?? (() => ''),
    equal: operator === '=',
    value,
    isServed: isRemote && metadataFields[field] === undefined,
  }));
  const readers = conditions.filter(({ isServed }) => !isServed);
  const servedReaders = conditions.filter(({ isServed }) => isServed);
  const selectsAll = servedReaders.length === 0 && labels.isEmpty && readers.length === 0 && name === undefined;
  const indexed = fields.requirements.find(
    ({ field, operator }) => operator === '=' && (stored.strategy.indexedFields ?? []).includes(field),
  );
  const field = indexed && { name: indexed.field, value: indexed.value };
  const { storage } = stored;
  const prefix = namespace === '' ? undefined : storage.key(namespace, '');
  const matches = (candidate: StoredObject): boolean => {
    if (prefix !== undefined && !candidate.key.startsWith(prefix)) return false;
    if (selectsAll) return true;
    const { object } = candidate;
    if (name !== undefined && object.metadata.name !== name) return false;
    if (!labels.matches(object.metadata.labels)) return false;
    return readers.every(({ read, equal, value }) => (read(object) === value) === equal);
  };
  return {
    ...parts,
    selectsAll,
    matches,
    ...(servedReaders.length > 0 && {
      matchesServed: ({ object }: StoredObject) =>
        servedReaders.every(({ read, equal, value }) => (read(object) === value) === equal),
    }),
    query: { namespace, field },
    scope: scopeOf(stored, parts, field),
  };
}

function selectableFieldsOf({ selectableFields, stored }: ServedResource): SelectableFields {
  return selectableFields ?? stored.strategy.selectableFields ?? {};
}

function scopeOf(
  { storage, namespaced }: StoredResource,
  { namespace, name }: Pick<Selection, 'namespace' | 'name'>,
  field: { readonly name: string; readonly value: string } | undefined,
): WatchScope {
  if (name !== undefined && (!namespaced || namespace !== ''))
    return { kind: 'key', key: storage.key(namespace, name) };
  if (field) return { kind: 'field', ...field };
  return namespace === '' ? { kind: 'all' } : { kind: 'namespace', namespace };
}

function readLabels(text: string): LabelSelector {
  return text === '' ? LabelSelector.everything : parseLabelSelector(text);
}

function readFields(text: string, resource: ServedResource): FieldSelector {
  if (text === '') return FieldSelector.everything;
  const selector = parseFieldSelector(text);
  const own = selectableFieldsOf(resource);
  for (const { field } of selector.requirements) {
    if (!hasMetadataField(resource, field) && !Object.hasOwn(own, field)) throw unknownField(resource, field);
  }
  return selector;
}

/** Cluster-scoped resources with a list of selectable fields do not support this one, as in upstream. */
function hasMetadataField({ info, stored }: ServedResource, field: string): boolean {
  if (field === 'metadata.namespace') return info.namespaced || !stored.strategy.selectableFields;
  return Object.hasOwn(metadataFields, field);
}

/** The message repeats the text of the client. */
function unknownField({ stored }: ServedResource, field: string): StatusError {
  return badRequest(
    stored.strategy.selectableFields
      ? `field label not supported: ${field}`
      : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}
