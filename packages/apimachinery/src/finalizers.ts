import type { ObjectMeta } from './object-meta.js';

/** Makes the garbage collector orphan the dependents of the object. */
export const orphanFinalizer = 'orphan';
/** Keeps the object until its dependents are deleted. */
export const foregroundFinalizer = 'foregroundDeletion';

type WithMeta = { readonly metadata: ObjectMeta };

export function hasFinalizer(object: WithMeta, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** The object with the finalizer; the object itself when it has it. */
export function withFinalizer<T extends WithMeta>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** The object without the finalizer; the object itself when it does not have it. */
export function withoutFinalizer<T extends WithMeta>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const { finalizers = [], ...metadata } = object.metadata;
  const rest = finalizers.filter((name) => name !== finalizer);
  return { ...object, metadata: rest.length > 0 ? { ...metadata, finalizers: rest } : metadata };
}

export function isBeingDeleted(object: WithMeta): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'foregroundDeletion', 'orphan']);

/** Finalizers have a domain; the few without one are the cluster's own. */
export function finalizerDomainProblems(name: string): string[] {
  if (name.includes('/') || standardFinalizers.has(name)) return [];
  return ['name is neither a standard finalizer name nor is it fully qualified'];
}
