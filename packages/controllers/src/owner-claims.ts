import {
  controllerOf,
  isNotFound,
  type KubeObject,
  type LabelSelector,
  type OwnerReference,
} from '@coracle/apimachinery';

/** The action on an object that may belong to an owner. */
export type Claim = 'own' | 'adopt' | 'release' | 'ignore';

/** An owner that is being deleted adopts nothing; a dependent that is being deleted is ignored. */
export function planClaim(object: KubeObject, owner: KubeObject, selector: LabelSelector): Claim {
  const controller = controllerOf(object);
  const matches = selector.matches(object.metadata.labels ?? {});
  if (controller) {
    if (controller.uid !== owner.metadata.uid) return 'ignore';
    if (matches) return 'own';
    return owner.metadata.deletionTimestamp ? 'ignore' : 'release';
  }
  const mayAdopt = matches && !owner.metadata.deletionTimestamp && !object.metadata.deletionTimestamp;
  return mayAdopt && object.metadata.namespace === owner.metadata.namespace ? 'adopt' : 'ignore';
}

export interface ClaimContext<T extends KubeObject> {
  readonly owner: KubeObject;
  readonly ownerKind: { readonly apiVersion: string; readonly kind: string };
  readonly selector: LabelSelector;
  /** Reads the owner from the server: nothing is adopted for an owner that is deleted or being deleted. */
  freshOwner(): Promise<KubeObject>;
  patch(object: T, patch: MetadataPatch): Promise<T>;
}

/** A strategic merge patch that changes the owner of an object. */
export interface MetadataPatch {
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The objects that belong to an owner, after adopting orphans and releasing objects that no longer match. A failure for
 * one does not affect the others.
 */
export async function claim<T extends KubeObject>(objects: readonly T[], context: ClaimContext<T>): Promise<T[]> {
  const owned: T[] = [];
  const errors: unknown[] = [];
  let mayAdopt: Promise<boolean> | undefined;
  for (const object of objects) {
    const decision = planClaim(object, context.owner, context.selector);
    try {
      if (decision === 'own') owned.push(object);
      else if (decision === 'release') await release(object, context);
      else if (decision === 'adopt' && (await (mayAdopt ??= isStillThere(context)))) {
        const adopted = await adopt(object, context);
        if (adopted) owned.push(adopted);
      }
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return owned;
}

/** Called once per sync, before the first adoption: the cache may not show yet that the owner is being deleted. */
async function isStillThere<T extends KubeObject>({ owner, freshOwner }: ClaimContext<T>): Promise<boolean> {
  const fresh = await freshOwner();
  return fresh.metadata.uid === owner.metadata.uid && !fresh.metadata.deletionTimestamp;
}

async function adopt<T extends KubeObject>(
  object: T,
  { owner, ownerKind, patch }: ClaimContext<T>,
): Promise<T | undefined> {
  const reference = controllerReferenceTo(owner, ownerKind);
  return orGone(patch(object, { metadata: { uid: object.metadata.uid, ownerReferences: [reference] } }));
}

async function release<T extends KubeObject>(object: T, { owner, patch }: ClaimContext<T>): Promise<void> {
  await orGone(
    patch(object, {
      metadata: { uid: object.metadata.uid, ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }] },
    }),
  );
}

/** Makes `owner` the controller of an object. */
export function controllerReferenceTo(
  owner: KubeObject,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** An object that was deleted in the meantime is not claimed. */
async function orGone<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
