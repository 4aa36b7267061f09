import { isRecord } from '@coracle/base';
import type { ManagedFieldsEntry } from '../object-meta.js';
import { unexplainedFailure } from '../patch/patch-errors.js';
import type { Schema } from '../schema.js';
import { badRequest } from '../status-error.js';
import { isSame } from './compare.js';
import { conflictError, lastAppliedFields, withoutAllowed } from './conflicts.js';
import { dropNulls } from './drop-nulls.js';
import { emptyObject } from './empty-object.js';
import { difference, type FieldSet, isEmptySet, recursiveDifference, sameSet } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { decodeManagedFields, encodeManagedFields, type Owner, type Owners, ownerId } from './managed-fields.js';
import { mergeObjects } from './merge.js';
import {
  type Change,
  type ConvertObject,
  comparisons,
  findConflicts,
  shedFields,
  UndeclaredField,
  unownedFields,
} from './ownership.js';
import { pruneFields } from './prune.js';
import { reconcileOwners } from './reconcile.js';
import { managedFieldsOf, updateOwners, withoutManagedFields } from './track-update.js';
import { formatProblems, typeProblems } from './typed-check.js';

export interface ApplyRequest {
  /** The stored object in the request's version; `undefined` if the apply creates it. */
  readonly live: object | undefined;
  /** The applied configuration, as it was sent. */
  readonly config: object;
  readonly schema: Schema;
  readonly manager: string;
  /** Takes fields from other managers instead of failing. */
  readonly force: boolean;
  readonly apiVersion: string;
  readonly subresource?: string;
  /** RFC 3339 text. */
  readonly now: string;
  /** Fields that the request cannot change, such as `status` on the main endpoint. */
  readonly resetFields?: FieldSet;
  readonly convert?: ConvertObject;
}

export interface Applied {
  /** The merged object, with its new `metadata.managedFields` and without defaults. It shares parts with its inputs. */
  readonly object: Record<string, unknown>;
  readonly managedFields: ManagedFieldsEntry[] | undefined;
}

/**
 * Server-side apply. Merges the configuration into the live object, removes fields that the manager applied before, no
 * longer applies and no other manager owns, and makes the manager the owner of the applied fields. Throws a 409 with
 * the conflicting fields, unless forced. Neither object is changed.
 */
export function applyConfiguration(request: ApplyRequest): Applied {
  checkConfiguration(request);
  try {
    return applyChecked(request);
  } catch (error) {
    throw error instanceof UndeclaredField ? unexplainedFailure(error.message) : error;
  }
}

function applyChecked(request: ApplyRequest): Applied {
  const { live, config, schema, manager, apiVersion, subresource = '', now, resetFields } = request;
  const before = live === undefined ? emptyObject(schema) : withoutManagedFields(live);
  const owners = ownersBefore(request);
  const self = { manager, operation: 'Apply', apiVersion, subresource } as const;
  const id = ownerId(self);
  const last = owners.get(id);
  const configFields = fieldsOf(config, schema);
  const fields = resetFields ? recursiveDifference(configFields, resetFields) : configFields;
  const claimed: Owners = new Map(owners).set(id, { ...self, time: last?.time, fields });
  const merged = mergeObjects(before, config, schema);
  const after = pruneFields({ merged, last, owners: claimed, schema, apiVersion, convert: request.convert });
  const change: Change = { before, after, schema, apiVersion, convert: request.convert, resetFields };
  const compare = comparisons(change);
  if (!request.force) refuseConflicts(findConflicts(claimed, id, compare), claimed, request);
  const left = shedFields(claimed, id, compare);
  const unchanged = isSame(compareOrEmpty(compare, apiVersion));
  settleSelf(left, { ...self, fields: difference(fields, unownedFields) }, { id, last, unchanged, now });
  return finish(after, encodeManagedFields(left), schema);
}

function compareOrEmpty(compare: ReturnType<typeof comparisons>, apiVersion: string) {
  return compare(apiVersion) ?? { added: {}, modified: {}, removed: {} };
}

/** The applier's own entry. Its time is that of the last apply that changed the object or what the applier owns. */
function settleSelf(
  owners: Map<string, Owner>,
  self: Omit<Owner, 'time'>,
  at: { id: string; last: Owner | undefined; unchanged: boolean; now: string },
): void {
  const { id, last } = at;
  if (isEmptySet(self.fields)) owners.delete(id);
  else if (at.unchanged && last && last.apiVersion === self.apiVersion && sameSet(last.fields, self.fields))
    owners.set(id, last);
  else owners.set(id, { ...self, time: at.now });
}

function finish(after: unknown, managedFields: ManagedFieldsEntry[] | undefined, schema: Schema): Applied {
  // In custom resources a null is a value; whether it may be there is for validation to say.
  const isCustom = schema.type === 'object' && schema.name === '';
  const object = (isCustom ? after : dropNulls(after, schema)) as Record<string, unknown>;
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  return { object: { ...object, metadata: { ...metadata, ...(managedFields && { managedFields }) } }, managedFields };
}

/** An object that has no owners yet was made before anyone applied it: all that it says belongs to those days. */
function ownersBefore(request: ApplyRequest): Owners {
  const { live, schema, apiVersion, now, resetFields } = request;
  const owners = decodeManagedFields(managedFieldsOf(live)) ?? new Map<string, Owner>();
  if (owners.size > 0 || live === undefined) return reconcileOwners(owners, schema, apiVersion);
  const manager = 'before-first-apply';
  const subresource = request.subresource ?? '';
  const tracked = { live: undefined, object: live, schema, manager, apiVersion, subresource, now };
  return updateOwners(owners, { ...tracked, ...(resetFields && { resetFields }) });
}

function checkConfiguration({ config, schema, apiVersion }: ApplyRequest): void {
  const {
    apiVersion: configVersion,
    kind,
    metadata,
  } = config as { apiVersion?: string; kind?: string; metadata?: unknown };
  if (configVersion !== apiVersion)
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${configVersion ?? ''}, expected: ${apiVersion}`,
    );
  const managedFields = managedFieldsOf(config);
  if (managedFields !== undefined && managedFields !== null) throw badRequest('metadata.managedFields must be nil');
  const problems = typeProblems(config, schema);
  if (problems.length === 0) return;
  const { name = '', namespace = '' } = isRecord(metadata) ? metadata : {};
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const subject = `${namespace}/${name}; ${version}, Kind=${kind}`;
  throw unexplainedFailure(`failed to create typed patch object (${subject}): ${formatProblems(problems)}`);
}

function refuseConflicts(conflicts: ReadonlyMap<string, FieldSet>, owners: Owners, request: ApplyRequest): void {
  if (conflicts.size === 0) return;
  // kubectl's own client-side apply wrote these fields: it may take them over.
  const allowed = request.manager === 'kubectl' ? lastAppliedFields(request) : undefined;
  const left = allowed ? withoutAllowed(conflicts, allowed) : conflicts;
  if (left.size > 0) throw conflictError(left, owners);
}
