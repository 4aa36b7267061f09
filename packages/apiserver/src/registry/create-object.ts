import {
  alreadyExists,
  conflict,
  failure,
  formatTime,
  generateNameConflict,
  invalid,
  type KubeObject,
  type StatusError,
  unexplainedFailure,
} from '@coracle/apimachinery';
import { type MaybePromise, randomSuffix, randomUuid } from '@coracle/base';
import { usualFeatures } from '../features/feature-gates.js';
import type { ServedResource } from '../served-resource.js';
import { isWrittenMaybe, storeFailure } from '../storage/store-failure.js';
import { StoredObject } from '../storage/stored-object.js';
import { admissionAttributes } from './admission-attributes.js';
import { inForce } from './errors-in-force.js';
import { dropUnstored, trackManagedFields } from './managed-fields.js';
import { matchNamespace } from './match-namespace.js';
import { dropDuplicateOwners } from './owner-references.js';
import { privilegedContainers } from './privileged-containers.js';
import type { RegistryDependencies } from './registry-dependencies.js';
import { clearStatus, hasStatus } from './status-field.js';
import type { StrategyContext } from './strategy.js';
import { validateMetadata } from './validate-metadata.js';
import type { WriteRequest } from './write-request.js';

const longestGeneratedBase = 58;
const suffixLength = 5;
const nameAttempts = 8;

export interface Creation {
  /** Decoded, with its defaults, in the version of `resource.stored`. Consumed by the create. */
  readonly object: KubeObject;
  /** Set if managed fields have already been written. */
  readonly fieldsAreTracked?: boolean;
  /** Throws if it may not be created. Called after validation, as in upstream. */
  readonly requireCreate?: (() => Promise<void>) | undefined;
}

/** Creates an object. Fails with `AlreadyExists` if the name is taken. */
export async function createObject(
  deps: RegistryDependencies,
  request: WriteRequest,
  { object: newObject, fieldsAreTracked = false, requireCreate }: Creation,
): Promise<StoredObject> {
  const { resource, options, trace } = request;
  const { strategy, specs } = resource.stored;
  let object = newObject;
  wipeSystemFields(object);
  matchNamespace(resource.stored.namespaced ? request.namespace : '', object);
  const tracking = fieldsAreTracked
    ? undefined
    : trackManagedFields(deps.clock, request, { object, previous: undefined });
  if (tracking instanceof Promise) await tracking;
  specs.makeOwn(object);
  object = dropUnstored(request, object);
  const mutated = deps.admission.mutate(admissionAttributes(request, 'CREATE', { object, oldObject: undefined }));
  object = mutated instanceof Promise ? await mutated : mutated;
  trace?.step('apiserver.mutate');
  matchNamespace(resource.stored.namespaced ? request.namespace : '', object);
  dropDuplicateOwners(object, request.warn);

  const context = strategyContext(deps, request);
  prepare(deps, request, { object, context });
  const generates = !object.metadata.name && !!object.metadata.generateName;
  if (generates) object.metadata.name = generateName(deps, object.metadata.generateName as string);
  trace?.about(`${resource.info.resource}/${request.namespace}/${object.metadata.name}`);
  strategy.canonicalize?.(object);
  // Values that a reservation sets are not shared.
  if (!strategy.reserve) specs.intern(object);
  validate(request, object, context);
  trace?.step('apiserver.validate');
  if (requireCreate) await requireCreate();
  const admitted = deps.admission.validate(admissionAttributes(request, 'CREATE', { object, oldObject: undefined }));
  if (admitted instanceof Promise) await admitted;
  trace?.step('apiserver.admit');

  const reservation = await strategy.reserve?.(object, undefined, context);
  try {
    const stored = options.dryRun
      ? await pretendToCreate(request, object)
      : await store(deps, request, { object, generates });
    await (options.dryRun ? reservation?.release() : reservation?.commit());
    return stored;
  } catch (error) {
    if (!isWrittenMaybe(error)) await reservation?.release();
    throw error;
  }
}

/** What only the server sets is not even looked at. */
export function wipeSystemFields({ metadata }: KubeObject): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

export function strategyContext(deps: RegistryDependencies, request: WriteRequest): StrategyContext {
  const { clock, random, objects, serviceAllocator, features = usualFeatures, allowsPrivileged = true } = deps;
  const { apiVersion } = request.resource;
  const { dryRun } = request.options;
  return {
    user: request.user,
    clock,
    random,
    objects,
    features,
    allowsPrivileged,
    dryRun,
    apiVersion,
    ...(serviceAllocator && { serviceAllocator }),
  };
}

function prepare(
  deps: RegistryDependencies,
  { resource }: WriteRequest,
  { object, context }: { readonly object: KubeObject; readonly context: StrategyContext },
): void {
  const { metadata } = object;
  const { strategy } = resource.stored;
  if (strategy.hasGeneration) metadata.generation = 1;
  metadata.uid = randomUuid(deps.random);
  metadata.creationTimestamp = formatTime(deps.clock.now());
  if (strategy.prepareForCreate) strategy.prepareForCreate(object, context);
  else if (hasStatus(resource.info)) clearStatus(object, resource.stored.schema);
  strategy.dropDisabled?.(object, context.features);
}

function generateName(deps: RegistryDependencies, base: string): string {
  return base.slice(0, longestGeneratedBase) + randomSuffix(deps.random, suffixLength);
}

function validate(request: WriteRequest, object: KubeObject, context: StrategyContext): void {
  const { stored } = request.resource;
  const { rules, strategy, specs } = stored;
  const errors = [
    ...validateMetadata(stored, object),
    ...inForce(rules.validate?.(object, specs.contentErrors(object, rules)) ?? [], context.features),
    ...(strategy.validateCreate?.(object, context) ?? []),
    ...(context.allowsPrivileged ? [] : privilegedContainers(stored, object)),
  ];
  if (errors.length > 0) throw invalid(stored, object.metadata.name ?? '', errors);
  for (const warning of specs.warnings(object, rules)) request.warn(warning);
  for (const warning of strategy.warningsOnCreate?.(object, context) ?? []) request.warn(warning);
}

/** The response of a real create, as far as it can be computed without one. */
async function pretendToCreate({ resource, namespace }: WriteRequest, object: KubeObject): Promise<StoredObject> {
  const { storage } = resource.stored;
  const key = storage.key(namespace, object.metadata.name as string);
  const current = storage.isCached ? storage.cache.get(key) : await storage.read(key);
  if (current) throw taken(resource.info, current);
  return StoredObject.fromObject(key, storage.cache.options.format, await forStorage(resource, object));
}

async function store(
  deps: RegistryDependencies,
  { resource, namespace, trace }: WriteRequest,
  { object, generates }: { readonly object: KubeObject; readonly generates: boolean },
): Promise<StoredObject> {
  const { storage, strategy } = resource.stored;
  // An internal error rather than a bad request, and only for values that might be versions, as in upstream.
  if (/^[1-9]\d*$/.test(object.metadata.resourceVersion ?? '')) {
    throw unexplainedFailure('resourceVersion should not be set on objects to be created');
  }
  for (let attempt = 1; ; attempt++) {
    const name = object.metadata.name as string;
    const key = storage.key(namespace, name);
    trace?.step('apiserver.store');
    const written = await forStorage(resource, object);
    const outcome = await storage.create(key, written, strategy.ttlSeconds).catch((error: unknown) => {
      throw storeFailure(error, resource.info, 'create');
    });
    if (outcome.kind === 'written') {
      resource.stored.specs.add(object);
      await resource.stored.settled?.();
      return outcome.stored;
    }
    if (!generates) throw taken(resource.info, outcome.current);
    if (attempt >= nameAttempts) throw generateNameConflict(resource.info, name, 1);
    object.metadata.name = generateName(deps, object.metadata.generateName as string);
    trace?.about(`${resource.info.resource}/${namespace}/${object.metadata.name}`);
  }
}

/** An object in the form in which it is stored. */
export function forStorage({ stored }: ServedResource, object: KubeObject): MaybePromise<KubeObject> {
  return stored.toStorage ? stored.toStorage(object) : object;
}

function taken(info: WriteRequest['resource']['info'], current: StoredObject | undefined): StatusError {
  const metadata = current?.object.metadata;
  const error = alreadyExists(info, metadata?.name ?? '');
  if (metadata?.deletionTimestamp === undefined) return error;
  const { reason, message, details } = error.status;
  return failure(reason as 'AlreadyExists', `object is being deleted: ${message}`, details);
}

export const objectModified =
  'the object has been modified; please apply your changes to the latest version and try again';

/** The error for a concurrent write. */
export function modified(request: WriteRequest, name: string): StatusError {
  return conflict(request.resource.info, name, objectModified);
}
