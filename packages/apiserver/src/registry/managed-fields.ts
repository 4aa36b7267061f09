import {
  decodeOwnedObject,
  type FieldSet,
  formatTime,
  type KubeObject,
  type ManagedFieldsEntry,
  trackUpdate,
} from '@coracle/apimachinery';
import { andThen, type Clock, type MaybePromise } from '@coracle/base';
import { toServedVersion } from '../conversion/conversion.js';
import { withConversions } from './field-conversions.js';
import { type ClientMetadata, clientMetadata } from './keep-metadata.js';
import { hasStatus } from './status-field.js';
import type { WriteRequest } from './write-request.js';

/**
 * Records in `metadata.managedFields` of `object` which manager set which fields. Both objects are in the stored
 * version.
 */
export function trackManagedFields(
  clock: Clock,
  request: WriteRequest,
  { object, previous }: { readonly object: KubeObject; readonly previous: KubeObject | undefined },
): MaybePromise<void> {
  const { resource } = request;
  const live = previous && toServedVersion(resource, previous);
  const served = toServedVersion(resource, object);
  const entries =
    live instanceof Promise || served instanceof Promise
      ? Promise.all([live, served]).then(([before, after]) => entriesAfter(clock, request, before, after))
      : entriesAfter(clock, request, live, served);
  return andThen(entries, (newEntries) => setManagedFields(object, newEntries));
}

/** The entries after `object` replaces `live`, both in the version of the request. */
function entriesAfter(
  clock: Clock,
  request: WriteRequest,
  live: KubeObject | undefined,
  object: KubeObject,
): MaybePromise<ManagedFieldsEntry[] | undefined> {
  const { resource, options, subresource } = request;
  return withConversions(resource, (convert) =>
    trackUpdate({
      live,
      object,
      schema: resource.schema,
      manager: options.fieldManager,
      apiVersion: resource.apiVersion,
      subresource,
      now: formatTime(clock.now()),
      resetFields: resetFieldsOf(request),
      convert,
    }),
  );
}

/** Fields that are neither stored nor returned are dropped after the managed fields are computed. */
export function dropUnstored({ resource, holdsEmpty }: WriteRequest, object: KubeObject): KubeObject {
  const { conversion, stored } = resource;
  if (conversion?.kind === 'local' && conversion.prune) return conversion.prune(object);
  if (holdsEmpty?.()) decodeOwnedObject(object, stored.schema);
  return object;
}

export function setManagedFields({ metadata }: KubeObject, entries: ManagedFieldsEntry[] | undefined): void {
  if (entries === undefined || entries.length === 0) delete metadata.managedFields;
  else metadata.managedFields = entries;
}

/**
 * The fields that an endpoint does not write, whatever a client sends: the status on the main endpoint, everything else
 * on the status endpoint.
 */
export function resetFieldsOf({ resource, subresource }: WriteRequest): FieldSet | undefined {
  const { strategy } = resource.stored;
  const stated = strategy.resetFields?.(subresource);
  if (stated) return stated;
  if (!hasStatus(resource.info)) return undefined;
  if (subresource === '') return statusOnly;
  if (subresource !== 'status') return undefined;
  return strategy.statusKeeps ? { ...specOnly, 'f:metadata': fieldsKept(strategy.statusKeeps) } : specOnly;
}

/** The whole metadata, if the status endpoint changes none of it. */
function fieldsKept(names: readonly ClientMetadata[]): FieldSet {
  return names === clientMetadata ? {} : Object.fromEntries(names.map((field) => [`f:${field}`, {}]));
}

const statusOnly: FieldSet = { 'f:status': {} };
const specOnly: FieldSet = { 'f:spec': {} };
