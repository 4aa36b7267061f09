import { conflict, type KubeObject, notFound, parseTime } from '@coracle/apimachinery';
import { andThen, deepCopy, type Millis } from '@coracle/base';
import { inStoredVersion } from '../conversion/converted-objects.js';
import { storeFailure } from '../storage/store-failure.js';
import { StoredObject } from '../storage/stored-object.js';
import { admissionAttributes } from './admission-attributes.js';
import { forStorage, strategyContext } from './create-object.js';
import { finalizersAfter, type PropagationPolicy } from './deletion-finalizers.js';
import { isHeldBack, markForDeletion, spanOf } from './deletion-marks.js';
import type { RegistryDependencies } from './registry-dependencies.js';
import type { Strategy } from './strategy.js';
import { failedPrecondition, type Preconditions } from './update-object.js';
import type { WriteRequest } from './write-request.js';

export interface Deletion {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: PropagationPolicy;
  /** Deprecated; true means `Orphan`. */
  readonly orphanDependents?: boolean;
  readonly preconditions?: Preconditions;
}

export interface Deleted {
  /** False if the object is only marked, and removed later. */
  readonly removed: boolean;
  /** The last state, or the current one if it still exists. */
  readonly stored: StoredObject;
}

/** The effects of a deletion on an object, computed before any write. */
type Plan =
  | { readonly kind: 'remove' }
  | { readonly kind: 'mark'; readonly object: KubeObject; readonly thenRemove: boolean }
  /** The object is already being deleted, no later than requested. */
  | { readonly kind: 'leave' };

/**
 * Deletes in one or two steps: an object with a grace period or finalizers is marked first, and removed by a later
 * deletion without grace period, or by the update that removes its last finalizer.
 */
export async function deleteObject(
  deps: RegistryDependencies,
  request: WriteRequest,
  deletion: Deletion,
): Promise<Deleted> {
  const { storage } = request.resource.stored;
  const key = storage.key(request.namespace, request.name);
  request.trace?.about(`${request.resource.info.resource}/${request.namespace}/${request.name}`);
  let current = await storage.read(key).catch((error: unknown) => fail(request, error));
  for (;;) {
    if (!current) throw notFound(request.resource.info, request.name);
    const attempt = await attemptDelete(deps, request, { deletion, current });
    if ('removed' in attempt) return attempt;
    request.lifetime?.signal.throwIfAborted();
    current = attempt.current;
  }
}

async function attemptDelete(
  deps: RegistryDependencies,
  request: WriteRequest,
  { deletion, current }: { readonly deletion: Deletion; readonly current: StoredObject },
): Promise<Deleted | { readonly current: StoredObject | undefined }> {
  const { strategy, storage } = request.resource.stored;
  const context = strategyContext(deps, request);
  const stored = inStoredVersion(request.resource.stored, current);
  const { object } = stored instanceof Promise ? await stored : stored;
  checkPreconditions(request, object, deletion.preconditions);
  const refusal = request.isOfCollection ? undefined : strategy.refuseDelete?.(object, context);
  if (refusal) throw refusal;
  const attributes = admissionAttributes(request, 'DELETE', { object: undefined, oldObject: object });
  const admitted = andThen(deps.admission.mutate(attributes), () => deps.admission.validate(attributes));
  if (admitted instanceof Promise) await admitted;
  request.trace?.step('apiserver.admit');
  const plan = planDeletion(deps, request, { deletion, object });
  if (plan.kind === 'leave') return { removed: false, stored: current };
  const marking = plan.kind === 'mark' ? await forStorage(request.resource, plan.object) : undefined;
  if (request.options.dryRun) return pretend(plan, marking, current);
  request.trace?.step('apiserver.store');
  let last = current;
  if (plan.kind === 'mark' && marking) {
    const marked = await storage
      .replace(current, marking, strategy.ttlSeconds)
      .catch((error: unknown) => fail(request, error));
    if (marked.kind === 'conflict') return marked;
    if (!plan.thenRemove) return { removed: false, stored: marked.stored };
    last = marked.stored;
  }
  const outcome = await storage.remove(last).catch((error: unknown) => fail(request, error));
  if (outcome.kind === 'conflict') {
    // Marked by this request, and removed by another one meanwhile: it is deleted, as requested.
    return last !== current && !outcome.current ? { removed: true, stored: last } : outcome;
  }
  await strategy.afterDelete?.(last.object, context);
  return { removed: true, stored: outcome.stored };
}

const whatHappened = {
  UID: 'The object might have been deleted and then recreated',
  ResourceVersion: 'The object might have been modified',
};

function checkPreconditions({ resource, name }: WriteRequest, object: KubeObject, preconditions?: Preconditions): void {
  const failed = failedPrecondition(object, preconditions ?? {});
  if (!failed) return;
  const { field, precondition, found } = failed;
  const why = `the ${field} in the precondition (${precondition}) does not match the ${field} in record (${found}). ${whatHappened[field]}`;
  // By its kind, not by its resource, as in upstream.
  throw conflict({ group: resource.info.group, resource: resource.info.kind }, name, why);
}

function fail(request: WriteRequest, error: unknown): never {
  throw storeFailure(error, request.resource.info, 'delete');
}

function pretend(plan: Plan, marking: KubeObject | undefined, current: StoredObject): Deleted {
  if (plan.kind !== 'mark' || !marking) return { removed: true, stored: current };
  const stored = StoredObject.fromObject(current.key, current.format, marking);
  stored.settle(current.revision);
  return { removed: plan.thenRemove, stored };
}

function planDeletion(
  deps: RegistryDependencies,
  request: WriteRequest,
  { deletion, object }: { readonly deletion: Deletion; readonly object: KubeObject },
): Plan {
  const { strategy } = request.resource.stored;
  const grace = planGrace(strategy, object, deletion.gracePeriodSeconds);
  if (grace === 'pending') return { kind: 'leave' };
  const finalizers = finalizersAfter(object, deletion, strategy.defaultPropagation);
  if (grace === undefined && !finalizers && !isHeldBack(strategy, object)) return { kind: 'remove' };
  const marked = deepCopy(object);
  if (finalizers) marked.metadata.finalizers = finalizers;
  const held = isHeldBack(strategy, marked);
  if (grace !== undefined) setGrace(marked, grace, deps.clock.now());
  else if (held) {
    if (!finalizers && isMarked(object)) return { kind: 'leave' };
    markForDeletion(marked, deps.clock.now(), 0);
  }
  strategy.prepareForDelete?.(marked, strategyContext(deps, request));
  return { kind: 'mark', object: marked, thenRemove: !held && (grace ?? 0) === 0 };
}

/** The object waits only for its finalizers. */
function isMarked({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/**
 * The remaining lifetime of the object: seconds, `undefined` for immediate removal, `pending` if an earlier deletion
 * has set it.
 */
function planGrace(
  strategy: Strategy,
  object: KubeObject,
  requested: number | undefined,
): number | 'pending' | undefined {
  if (!strategy.graceSeconds) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined) return strategy.graceSeconds(object, requested);
  const pending = leastGrace(deletionGracePeriodSeconds);
  if (pending === 0) return undefined;
  const seconds = requested === undefined ? pending : leastGrace(requested);
  return seconds >= pending ? 'pending' : seconds;
}

/** A negative grace period counts as a second, in requests and in objects that were marked with one. */
function leastGrace(seconds: number): number {
  return seconds < 0 ? 1 : seconds;
}

/** A shorter grace period is counted from the start of the first one. */
function setGrace(object: KubeObject, seconds: number, now: Millis): void {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  const end = deletionTimestamp === undefined ? undefined : parseTime(deletionTimestamp);
  markForDeletion(object, end === undefined ? now : end - spanOf(deletionGracePeriodSeconds), seconds);
}
