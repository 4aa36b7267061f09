import { deepEqual, isRecord } from '@coracle/base';
import type { ManagedFieldsEntry } from '../object-meta.js';
import type { Schema } from '../schema.js';
import { capUpdaters } from './cap-updaters.js';
import { isSame } from './compare.js';
import { createdFields } from './created-fields.js';
import { emptyObject } from './empty-object.js';
import { difference, type FieldSet, isEmptySet, union } from './field-set.js';
import { KeylessItem } from './list-items.js';
import {
  decodeManagedFields,
  encodeManagedFields,
  encodeOwner,
  isReset,
  type Owner,
  type Owners,
  ownerId,
} from './managed-fields.js';
import {
  type Change,
  type ConvertObject,
  comparisons,
  shedFields,
  UndeclaredField,
  unownedFields,
} from './ownership.js';
import { SetRecall } from './recalled-sets.js';
import { reconcileOwners } from './reconcile.js';

export interface UpdateToTrack {
  /** The stored object in the request's version; `undefined` on create. */
  readonly live: object | undefined;
  /** The object before it is stored. */
  readonly object: object;
  readonly schema: Schema;
  /** The field manager of the request: its `fieldManager`, or the first part of its user agent. */
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  /** RFC 3339 text. */
  readonly now: string;
  /** Fields that the request cannot change, such as `status` on the main endpoint. */
  readonly resetFields?: FieldSet | undefined;
  readonly convert?: ConvertObject;
}

/**
 * `metadata.managedFields` after a create, an update or a patch other than apply: the request's manager owns what it
 * changed, and others lose that. An object that is stored without owners stays without until it is first applied.
 * `undefined` stands for no owners. Neither object is changed.
 */
export function trackUpdate(update: UpdateToTrack): ManagedFieldsEntry[] | undefined {
  const owners = startingOwners(update);
  if (owners.size === 0 && update.live !== undefined) return undefined;
  try {
    const recall = recallOf(update.schema);
    if (owners.size === 0) return firstEntries(update, recall);
    return encodeManagedFields(updateOwners(owners, update), (fields) => recall.of(fields));
  } catch (error) {
    // Such an object is still stored, with unchanged managers.
    if (error instanceof KeylessItem) return encodeManagedFields(owners);
    // The previous owners cannot be determined any more.
    if (error instanceof UndeclaredField) return undefined;
    throw error;
  }
}

/** The manager that creates an object owns every field that it set. */
function firstEntries(update: UpdateToTrack, recall: SetRecall): ManagedFieldsEntry[] | undefined {
  const { object, schema, resetFields, manager, apiVersion, subresource = '', now } = update;
  const fields = createdFields({ object, schema, resetFields });
  if (isEmptySet(fields)) return undefined;
  const owner: Owner = { manager, operation: 'Update', apiVersion, subresource, time: now, fields };
  return [encodeOwner(owner, recall.of(fields))];
}

/** The owners after the update, with its manager among them if it changed anything. */
export function updateOwners(owners: Owners, update: UpdateToTrack): Owners {
  const { manager, apiVersion, schema, subresource = '', resetFields } = update;
  const change: Change = {
    before: update.live === undefined ? emptyObject(schema) : hidingManagedFields(update.live),
    after: hidingManagedFields(update.object),
    schema,
    apiVersion,
    convert: update.convert,
    resetFields,
  };
  const compare = comparisons(change);
  const comparison = compare(apiVersion);
  if (comparison === undefined || isSame(comparison)) return owners;
  const remainingOwners = shedFields(reconcileOwners(owners, schema, apiVersion), '', compare);
  const taken = difference(union(comparison.modified, comparison.added), unownedFields);
  if (!isEmptySet(taken)) {
    addTo(remainingOwners, { manager, operation: 'Update', apiVersion, subresource, time: update.now, fields: taken });
  }
  return capUpdaters(remainingOwners);
}

/** Recently computed sets by the schemas of their objects: a cache. */
const recalls = new WeakMap<Schema, SetRecall>();

function recallOf(schema: Schema): SetRecall {
  let recall = recalls.get(schema);
  if (!recall) {
    recall = new SetRecall();
    recalls.set(schema, recall);
  }
  return recall;
}

function addTo(owners: Map<string, Owner>, owner: Owner): void {
  const id = ownerId(owner);
  const previous = owners.get(id);
  owners.set(id, previous ? { ...owner, fields: union(previous.fields, owner.fields) } : owner);
}

/** Clients may edit the owners of an object, but not by a subresource, and not by leaving the field out. */
function startingOwners({ live, object, subresource }: UpdateToTrack): Owners {
  const stored = (): Owners => decodeManagedFields(managedFieldsOf(live)) ?? new Map();
  if (subresource) return stored();
  const sent = managedFieldsOf(object);
  if (isReset(sent)) return new Map();
  // Clients mostly send the managed fields that they have read, which are parsed already.
  if (deepEqual(sent, managedFieldsOf(live))) return stored();
  const sentOwners = decodeManagedFields(sent);
  return sentOwners === undefined || sentOwners.size === 0 ? stored() : sentOwners;
}

export function managedFieldsOf(object: object | undefined): unknown {
  const metadata = (object as { metadata?: unknown } | undefined)?.metadata;
  return isRecord(metadata) ? metadata['managedFields'] : undefined;
}

/** For comparisons, which treat `undefined` as absent: cheaper than an object without the field. */
function hidingManagedFields(object: object): object {
  if (managedFieldsOf(object) === undefined) return object;
  const { metadata } = object as { metadata: Record<string, unknown> };
  return { ...object, metadata: { ...metadata, managedFields: undefined } };
}

/** The object without managed fields, which no manager owns. */
export function withoutManagedFields<T extends object>(object: T): T {
  if (managedFieldsOf(object) === undefined) return object;
  const { managedFields: _, ...metadata } = (object as { metadata: Record<string, unknown> }).metadata;
  return { ...object, metadata };
}
