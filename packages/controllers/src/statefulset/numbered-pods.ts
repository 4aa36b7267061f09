import { type PersistentVolumeClaim, type Pod, refs, type StatefulSet } from '@coracle/api';
import { isAlreadyExists, isNotFound } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import type { ControllerContext } from '../controller.js';
import { type ClaimHolder, claimOwners, hasConflict, hasOwners, isStale } from './claim-retention.js';
import { claimsOf, hasIdentity, ordinalOf, owner, withIdentity } from './identity.js';

/** Creates a pod after its claims. False if it need not or cannot be created now. */
export async function createNumbered(context: ControllerContext, set: StatefulSet, pod: Pod): Promise<boolean> {
  const { client, informers } = context;
  const { name = '', namespace } = pod.metadata;
  const ordinal = ordinalOf(pod, set) ?? 0;
  const claims = informers.for(refs.persistentVolumeClaims);
  const existing = claimsOf(set, ordinal).map(({ metadata }) => claims.get(`${namespace}/${metadata.name}`));
  if (existing.some((claim) => claim && isStale(claim, set, pod))) return false;
  try {
    await createClaims(context, set, pod);
    await client.resource(refs.pods, namespace).create(pod);
    recordEvent(context, set, { verb: 'Create', what: `Pod ${name} in StatefulSet ${set.metadata.name}` });
    return true;
  } catch (error) {
    if (isAlreadyExists(error) || isNamespaceTerminating(error)) return false;
    recordEvent(context, set, { verb: 'Create', what: `Pod ${name} in StatefulSet ${set.metadata.name}`, error });
    throw error;
  }
}

/** Creates the missing claims of a pod before it starts. Fails while one of them is being deleted. */
async function createClaims(context: ControllerContext, set: StatefulSet, pod: Pod): Promise<void> {
  const [going] = await createMissingClaims(context, set, pod);
  if (going !== undefined) throw new Error(`pvc ${going} is being deleted`);
}

/**
 * Creates the missing claims of a pod. Returns the names of those that are being deleted, for which the pod has to
 * wait.
 */
export async function createMissingClaims(context: ControllerContext, set: StatefulSet, pod: Pod): Promise<string[]> {
  const claims = context.informers.for(refs.persistentVolumeClaims);
  const going: string[] = [];
  for (const claim of claimsOf(set, ordinalOf(pod, set) ?? 0)) {
    const { namespace, name = '' } = claim.metadata;
    const existing = claims.get(`${namespace}/${name}`);
    if (!existing) await createClaim(context, { set, pod, claim });
    else if (existing.metadata.deletionTimestamp) going.push(name);
  }
  return going;
}

async function createClaim(
  context: ControllerContext,
  { set, pod, claim }: { readonly set: StatefulSet; readonly pod: Pod; readonly claim: PersistentVolumeClaim },
): Promise<void> {
  const what = `Claim ${claim.metadata.name} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  const owners = claimOwners(claim, { set, pod, isCondemned: false });
  const owned = owners.length > 0 ? { ...claim, metadata: { ...claim.metadata, ownerReferences: [...owners] } } : claim;
  try {
    await context.client.resource(refs.persistentVolumeClaims, claim.metadata.namespace).create(owned);
    recordEvent(context, set, { verb: 'Create', what });
  } catch (error) {
    if (isAlreadyExists(error)) return;
    if (!isNamespaceTerminating(error)) recordEvent(context, set, { verb: 'Create', what, error });
    throw error;
  }
}

/** False if it was already deleted. */
export async function deleteNumbered(context: ControllerContext, set: StatefulSet, pod: Pod): Promise<boolean> {
  const { name = '', namespace, uid } = pod.metadata;
  const what = `Pod ${name} in StatefulSet ${set.metadata.name}`;
  try {
    await context.client.resource(refs.pods, namespace).delete(name, uid ? { preconditions: { uid } } : {});
    recordEvent(context, set, { verb: 'Delete', what });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    recordEvent(context, set, { verb: 'Delete', what, error });
    throw error;
  }
}

export async function repairNumbered(context: ControllerContext, set: StatefulSet, pod: Pod): Promise<void> {
  const what = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  try {
    if (!hasIdentity(set, pod)) await createClaims(context, set, pod);
    await adjustClaims(context, { set, pod, isCondemned: false });
    await context.client.resource(refs.pods, pod.metadata.namespace).update(withIdentity(set, pod));
    recordEvent(context, set, { verb: 'Update', what });
  } catch (error) {
    recordEvent(context, set, { verb: 'Update', what, error });
    throw error;
  }
}

/** Whether the claims of a pod have the owners that the retention policy prescribes. */
export function ownsClaims(context: ControllerContext, holder: ClaimHolder): boolean {
  return existingClaims(context, holder).every((claim) => hasOwners(claim, claimOwners(claim, holder)));
}

/** Updates the owners of a pod's claims according to the retention policy. */
export async function adjustClaims(context: ControllerContext, holder: ClaimHolder): Promise<void> {
  for (const claim of existingClaims(context, holder)) {
    if (hasConflict(claim, holder)) recordConflict(context, holder.set, claim);
    const ownerReferences = claimOwners(claim, holder);
    if (hasOwners(claim, ownerReferences)) continue;
    await context.client
      .resource(refs.persistentVolumeClaims, holder.set.metadata.namespace)
      .update({ ...claim, metadata: { ...claim.metadata, ownerReferences: [...ownerReferences] } });
  }
}

function existingClaims({ informers }: ControllerContext, { set, pod }: ClaimHolder): PersistentVolumeClaim[] {
  const claims = informers.for(refs.persistentVolumeClaims);
  return claimsOf(set, ordinalOf(pod, set) ?? 0).flatMap(
    ({ metadata }) => claims.get(`${set.metadata.namespace}/${metadata.name}`) ?? [],
  );
}

function recordConflict({ recorder }: ControllerContext, set: StatefulSet, { metadata }: PersistentVolumeClaim): void {
  // Upstream's message, with its spelling.
  const message = `PersistentVolumeClaim ${metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
  recorder.event({ ...set, ...owner }, 'Warning', 'ConflictingController', message);
}

interface PodControlEvent {
  readonly verb: 'Create' | 'Delete' | 'Update';
  readonly what: string;
  readonly error?: unknown;
}

function recordEvent({ recorder }: ControllerContext, set: StatefulSet, { verb, what, error }: PodControlEvent): void {
  const subject = { ...set, ...owner };
  const success = what.startsWith('Claim') ? 'success' : 'successful';
  if (error === undefined) recorder.event(subject, 'Normal', `Successful${verb}`, `${verb} ${what} ${success}`);
  else recorder.event(subject, 'Warning', `Failed${verb}`, `${verb} ${what} failed error: ${messageOf(error)}`);
}
