import {
  hasFinalizer,
  isBeingDeleted,
  isNotFound,
  type KubeObject,
  withFinalizer,
  withoutFinalizer,
} from '@coracle/apimachinery';
import type { ResourceClient } from '@coracle/client';

/** Cleans up external resources. It may run again after a failure. */
export type Finalizer<T> = (object: T) => Promise<void>;

/** The state of an object after its finalizers have run. */
export interface Finalized<T> {
  /** The current object; the given one if nothing was written. */
  readonly object: T;
  /** The object is being deleted: there is nothing left to reconcile. */
  readonly deleting: boolean;
}

/**
 * Ensures that an object is not removed before its finalizers have run: adds their names to it while it exists, and
 * when it is being deleted runs each remaining one and removes its name. A finalizer that fails stays, and its error is
 * thrown after the others have run.
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

/** An object that is already removed needs no release. */
async function release<T extends KubeObject>(resource: ResourceClient<T>, released: T): Promise<T> {
  try {
    return await resource.update(released);
  } catch (error) {
    if (isNotFound(error)) return released;
    throw error;
  }
}
