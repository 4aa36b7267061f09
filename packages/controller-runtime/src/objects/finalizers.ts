import {
  hasFinalizer,
  isBeingDeleted,
  isNotFound,
  type KubeObject,
  withFinalizer,
  withoutFinalizer,
} from '@coracle/apimachinery';
import type { ResourceClient } from '@coracle/client';

/** Cleans up what the cluster cannot clean up by itself. It may run again after a failure. */
export type Finalizer<T> = (object: T) => Promise<void>;

/** How an object stands after its finalizers were looked at. */
export interface Finalized<T> {
  /** As it is now; the one that was given if nothing was written. */
  readonly object: T;
  /** The object is being deleted: there is nothing left to reconcile. */
  readonly deleting: boolean;
}

/**
 * Sees to it that an object is not gone before its finalizers have run: writes their names into it while it lives, and
 * when it is being deleted runs each that it still has and takes its name out. A finalizer that fails is left in, and
 * what it threw is thrown after the others have had their turn.
 */
export async function runFinalizers<T extends KubeObject>(
  object: T,
  {
    resource,
    finalizers,
  }: { readonly resource: ResourceClient<T>; readonly finalizers: Readonly<Record<string, Finalizer<T>>> },
): Promise<Finalized<T>> {
  if (!isBeingDeleted(object)) {
    const held = Object.keys(finalizers).reduce<T>((next, name) => withFinalizer(next, name), object);
    return { object: held === object ? object : await resource.update(held), deleting: false };
  }
  const failures: unknown[] = [];
  let released = object;
  for (const [name, finalize] of Object.entries(finalizers)) {
    if (!hasFinalizer(object, name)) continue;
    try {
      await finalize(object);
      released = withoutFinalizer(released, name);
    } catch (error) {
      failures.push(error);
    }
  }
  const written = released === object ? object : await release(resource, released);
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join(', '));
  if (failures.length === 1) throw failures[0];
  return { object: written, deleting: true };
}

/** An object that is gone already needs no releasing. */
async function release<T extends KubeObject>(resource: ResourceClient<T>, released: T): Promise<T> {
  try {
    return await resource.update(released);
  } catch (error) {
    if (isNotFound(error)) return released;
    throw error;
  }
}
