import type { KindRules } from '@coracle/api';
import {
  badRequest,
  conflict,
  type FieldError,
  invalid,
  invalidField,
  isAlreadyExists,
  type KubeObject,
  notFound,
  type StatusError,
  unexplainedFailure,
} from '@coracle/apimachinery';
import { deepEqual, fieldsOf } from '@coracle/base';
import { inStoredVersion } from '../conversion/converted-objects.js';
import { shareUnchanged } from '../storage/share-unchanged.js';
import { isWrittenMaybe, storeFailure } from '../storage/store-failure.js';
import { StoredObject } from '../storage/stored-object.js';
import { admissionAttributes } from './admission-attributes.js';
import { createObject, forStorage, modified, strategyContext } from './create-object.js';
import { isReadyToGo } from './deletion-marks.js';
import { inForce, withoutOldErrors } from './errors-in-force.js';
import { keepMetadata } from './keep-metadata.js';
import { dropUnstored, trackManagedFields } from './managed-fields.js';
import { matchNamespace } from './match-namespace.js';
import { dropDuplicateOwners } from './owner-references.js';
import { privilegedContainers } from './privileged-containers.js';
import type { RegistryDependencies } from './registry-dependencies.js';
import { hasStatus } from './status-field.js';
import { storageRoot } from './storage-prefix.js';
import type { StrategyContext } from './strategy.js';
import { validateMetadataUpdate } from './validate-metadata.js';
import type { WriteRequest } from './write-request.js';

/** The part of an object that one endpoint may change: the main one, the status, or another subresource. */
export interface UpdateEndpoint<T extends KubeObject = KubeObject> {
  /** Restores the fields from `previous` that this endpoint may not change. */
  prepare(object: T, previous: T, context: StrategyContext): void;
  validate(object: T, previous: T, context: StrategyContext): FieldError[];
  warnings?(object: T, previous: T, context: StrategyContext): string[];
  /** Whether a change increases `metadata.generation`. */
  readonly countsGeneration?: boolean;
}

export interface Update {
  /**
   * Computes the new object from the current one: a new value except for the spec, which may be the current one, with
   * defaults, in the version of `resource.stored`. It is called again after a conflict.
   */
  change(current: StoredObject): KubeObject | Promise<KubeObject>;
  /** The main endpoint unless stated. */
  readonly endpoint?: UpdateEndpoint;
  readonly preconditions?: Preconditions;
  /**
   * Creates the object if it does not exist. Without it, or if the resource does not allow that, the error is
   * `NotFound`.
   */
  createInstead?(): KubeObject | Promise<KubeObject>;
  /** Throws if the user of the update may not create the object that is created instead. */
  requireCreate?(): Promise<void>;
  /** Set if `change` has already written managed fields. */
  readonly fieldsAreTracked?: boolean;
}

export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface Updated {
  readonly stored: StoredObject;
  readonly created: boolean;
}

/** Changes an object, and retries on conflict. A client that sends a resourceVersion gets the conflict instead. */
export async function updateObject(
  deps: RegistryDependencies,
  request: WriteRequest,
  update: Update,
): Promise<Updated> {
  const { storage } = request.resource.stored;
  const key = storage.key(request.namespace, request.name);
  request.trace?.about(`${request.resource.info.resource}/${request.namespace}/${request.name}`);
  let current = await storage.read(key).catch((error: unknown) => fail(request, error));
  for (;;) {
    if (!current) {
      if (!update.createInstead) throw notFound(request.resource.info, request.name);
      checkPreconditions(request, nothing, update.preconditions);
      const { fieldsAreTracked = false, requireCreate } = update;
      const object = await update.createInstead();
      try {
        const stored = await createObject(deps, request, { object, fieldsAreTracked, requireCreate });
        return { stored, created: true };
      } catch (error) {
        // Another writer has just created it: update it instead.
        current = isAlreadyExists(error) ? await storage.read(key) : undefined;
        if (!current) throw error;
      }
    }
    const attempt = await attemptUpdate(deps, request, { update, current });
    if (attempt.kind === 'written') return { stored: attempt.stored, created: false };
    request.lifetime?.signal.throwIfAborted();
    current = attempt.current;
  }
}

/** The object that preconditions are checked against if none exists: it has no uid. */
const nothing: KubeObject = { metadata: {} };

type Attempt =
  | { readonly kind: 'written'; readonly stored: StoredObject }
  | { readonly kind: 'conflict'; readonly current: StoredObject | undefined };

async function attemptUpdate(
  deps: RegistryDependencies,
  request: WriteRequest,
  { update, current }: { readonly update: Update; readonly current: StoredObject },
): Promise<Attempt> {
  const { resource, options, trace } = request;
  const { strategy, storage, specs } = resource.stored;
  const earlier = inStoredVersion(resource.stored, current);
  const before = earlier instanceof Promise ? await earlier : earlier;
  const previous = before.object;
  checkPreconditions(request, previous, update.preconditions);
  let object = await update.change(before);
  matchNamespace(resource.stored.namespaced ? request.namespace : '', object);
  const tracking = update.fieldsAreTracked ? undefined : trackManagedFields(deps.clock, request, { object, previous });
  if (tracking instanceof Promise) await tracking;
  if (!strategy.leavesSameSpec || !specs.areSame(object, previous)) specs.makeOwn(object, previous);
  object = dropUnstored(request, object);
  const attributes = admissionAttributes(request, 'UPDATE', { object, oldObject: previous });
  const mutated = deps.admission.mutate(attributes);
  object = mutated instanceof Promise ? await mutated : mutated;
  trace?.step('apiserver.mutate');
  matchNamespace(resource.stored.namespaced ? request.namespace : '', object);
  dropDuplicateOwners(object, request.warn);
  checkVersion(request, object, previous);

  const context = strategyContext(deps, request);
  prepareAndValidate(request, update.endpoint ?? mainEndpoint(request), { object, previous, context });
  trace?.step('apiserver.validate');
  const admitted = deps.admission.validate(admissionAttributes(request, 'UPDATE', { object, oldObject: previous }));
  if (admitted instanceof Promise) await admitted;
  trace?.step('apiserver.admit');

  const converted = forStorage(resource, object);
  const written = converted instanceof Promise ? await converted : converted;
  const reservation = await strategy.reserve?.(object, previous, context);
  if (options.dryRun) {
    await reservation?.release();
    return { kind: 'written', stored: pretendToReplace(current, written) };
  }
  trace?.step('apiserver.store');
  const outcome = await (isReadyToGo(strategy, object)
    ? storage.remove(current)
    : storage.replace(current, written, strategy.ttlSeconds)
  ).catch(async (error: unknown) => {
    if (!isWrittenMaybe(error)) await reservation?.release();
    return fail(request, error);
  });
  await (outcome.kind === 'written' ? reservation?.commit() : reservation?.release());
  if (outcome.kind === 'conflict' || !isReadyToGo(strategy, object)) return outcome;
  await strategy.afterDelete?.(object, context);
  // An update returns the object that the client requested, though it was never stored.
  return { kind: 'written', stored: pretendToReplace(current, written) };
}

function fail(request: WriteRequest, error: unknown): never {
  throw storeFailure(error, request.resource.info, 'update');
}

function pretendToReplace(current: StoredObject, object: KubeObject): StoredObject {
  const stored = StoredObject.fromObject(current.key, current.format, object);
  stored.settle(current.revision);
  return stored;
}

/** The message of upstream's storage, which clients see. */
function checkPreconditions(request: WriteRequest, previous: KubeObject, preconditions: Preconditions = {}): void {
  const failed = failedPrecondition(previous, preconditions);
  if (!failed) return;
  const { field, precondition, found } = failed;
  const { storage } = request.resource.stored;
  const key = storage.key(request.namespace, request.name);
  const shownKey = request.options.dryRun ? key.slice(storageRoot.length - 1) : key;
  throw conflict(
    request.resource.info,
    request.name,
    `StorageError: invalid object, Code: 4, Key: ${shownKey}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${field} in precondition: ${precondition}, ${field} in object meta: ${found}`,
  );
}

/** The first of the preconditions that an object does not meet. */
export function failedPrecondition(
  { metadata }: KubeObject,
  { uid, resourceVersion }: Preconditions,
): { readonly field: 'UID' | 'ResourceVersion'; readonly precondition: string; readonly found: string } | undefined {
  if (uid !== undefined && uid !== metadata.uid) return { field: 'UID', precondition: uid, found: metadata.uid ?? '' };
  if (resourceVersion === undefined || resourceVersion === metadata.resourceVersion) return undefined;
  return { field: 'ResourceVersion', precondition: resourceVersion, found: metadata.resourceVersion ?? '' };
}

/** A resourceVersion from the client must match; without one, the current object is updated. */
function checkVersion(request: WriteRequest, object: KubeObject, previous: KubeObject): void {
  const { stored } = request.resource;
  const stated = object.metadata.resourceVersion ?? '';
  if (!/^\d*$/.test(stated)) throw unreadableVersion(stated);
  if (stated === '' || stated === '0') {
    if (stored.strategy.allowUnconditionalUpdate === false) {
      const kind = { group: stored.group, kind: stored.resource };
      throw invalid(kind, request.name, [
        invalidField('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    object.metadata.resourceVersion = previous.metadata.resourceVersion as string;
  } else if (stated !== previous.metadata.resourceVersion) throw modified(request, request.name);
}

/** An internal error rather than a bad request, as in upstream. */
function unreadableVersion(text: string): StatusError {
  const message = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  return unexplainedFailure(message);
}

function prepareAndValidate(
  request: WriteRequest,
  endpoint: UpdateEndpoint,
  { object, previous, context }: { object: KubeObject; previous: KubeObject; context: StrategyContext },
): void {
  const { stored } = request.resource;
  keepSystemMetadata(object, previous);
  endpoint.prepare(object, previous, context);
  stored.strategy.dropDisabled?.(object, context.features, previous);
  stored.strategy.canonicalize?.(object, previous);
  // Values that a reservation sets are not shared.
  if (!stored.strategy.reserve) shareUnchanged(object, previous);
  if (endpoint.countsGeneration && object.metadata.generation === previous.metadata.generation) {
    if (!sameContent(object, previous)) object.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  }
  const errors = [
    ...validateMetadataUpdate(request.resource, object, previous),
    ...withoutOldErrors(inForce(endpoint.validate(object, previous, context), context.features), () =>
      oldErrors(stored.rules, previous),
    ),
    ...(context.allowsPrivileged || request.subresource === 'status' ? [] : privilegedContainers(stored, object)),
  ];
  for (const warning of stored.rules.ratchetingWarnings?.(object) ?? []) request.warn(warning);
  if (errors.length > 0) throw invalid(stored, request.name, errors);
  for (const warning of stored.rules.warnings?.(object, previous) ?? []) request.warn(warning);
  for (const warning of endpoint.warnings?.(object, previous, context) ?? []) request.warn(warning);
}

function oldErrors(rules: KindRules<KubeObject>, previous: KubeObject): FieldError[] {
  return [...(rules.validate?.(previous) ?? []), ...(rules.validateStatusUpdate?.(previous, previous) ?? [])];
}

/** Immutable fields that a client may omit. */
function keepSystemMetadata({ metadata }: KubeObject, previous: KubeObject): void {
  const before = previous.metadata;
  delete metadata.selfLink;
  metadata.uid ??= before.uid as string;
  if (before.creationTimestamp !== undefined) metadata.creationTimestamp = before.creationTimestamp;
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (before.deletionTimestamp === undefined) return;
  metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  }
}

/** Whether two objects are equal except for metadata and status. */
function sameContent(a: KubeObject, b: KubeObject): boolean {
  const content = ({ metadata: _metadata, ...rest }: KubeObject) => ({ ...rest, status: undefined });
  return deepEqual(content(a), content(b));
}

function mainEndpoint({ resource }: WriteRequest): UpdateEndpoint {
  const { strategy, rules, specs } = resource.stored;
  return {
    countsGeneration: strategy.hasGeneration === true,
    prepare: (object, previous, context) => {
      if (strategy.prepareForUpdate) strategy.prepareForUpdate(object, previous, context);
      else if (hasStatus(resource.info)) copyStatus(previous, object);
    },
    validate: (object, previous, context) => [
      ...(rules.validateUpdate
        ? rules.validateUpdate(object, previous, specs.contentErrors(object, rules))
        : (rules.validate?.(object, specs.contentErrors(object, rules)) ?? [])),
      ...(strategy.validateUpdate?.(object, previous, context) ?? []),
    ],
    warnings: (object, previous, context) => strategy.warningsOnUpdate?.(object, previous, context) ?? [],
  };
}

export function statusEndpoint({ resource }: WriteRequest): UpdateEndpoint {
  const { strategy, rules } = resource.stored;
  return {
    prepare: (object, previous, context) => {
      if (strategy.prepareForStatusUpdate) strategy.prepareForStatusUpdate(object, previous, context);
      else keepAllButStatus(object, previous);
      if (strategy.statusKeeps) keepMetadata(object, previous, strategy.statusKeeps);
    },
    validate: (object, previous, context) => [
      ...(rules.validateStatusUpdate?.(object, previous) ?? []),
      ...(strategy.validateStatusUpdate?.(object, previous, context) ?? []),
    ],
  };
}

function copyStatus(from: KubeObject, to: KubeObject): void {
  const { status } = from as { status?: unknown };
  if (status === undefined) delete (to as { status?: unknown }).status;
  else (to as { status?: unknown }).status = status;
}

export function keepAllButStatus(object: KubeObject, previous: KubeObject): void {
  const target = fieldsOf(object);
  const source = fieldsOf(previous);
  for (const field of new Set([...Object.keys(target), ...Object.keys(source)])) {
    if (field === 'metadata' || field === 'status') continue;
    if (source[field] === undefined) delete target[field];
    else target[field] = source[field];
  }
}

/** A PUT names its object in the URL; the body may omit the name but not contradict it. */
export function matchName(request: WriteRequest, object: KubeObject): void {
  const { name } = object.metadata;
  if (!name) {
    throw badRequest(`the name of the object (${request.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== request.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
  }
}
