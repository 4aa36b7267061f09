import {
  hasFinalizer,
  isBeingDeleted,
  isConflict,
  isNotFound,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ResourceRef,
  withFinalizer,
  withoutFinalizer,
} from '@coracle/apimachinery';
import { type ControllerContext, type KeyQueue, type RunningController, runKeyed } from './controller.js';

export interface Protection<T extends KubeObject> {
  /** Name of the queue in metrics. */
  readonly name: string;
  readonly ref: ResourceRef<T>;
  readonly finalizer: string;
  /** Registers for changes of objects that use the protected ones. Only objects that are being deleted matter. */
  watchUsers?(lookAt: (key: ObjectKey) => void): readonly Disposable[];
  /** Whether an object that is being deleted is still in use. */
  isUsed(object: T): boolean | Promise<boolean>;
}

/**
 * Removes the protection finalizer of objects that are deleted and unused. Admission adds the finalizer; older objects
 * get it here.
 */
export function runProtection<T extends KubeObject>(
  context: ControllerContext,
  protection: Protection<T>,
): RunningController {
  const { ref, finalizer } = protection;
  const objects = context.informers.for(ref);
  const watch = (queue: KeyQueue) => [
    objects.addHandler(({ type, object }) => {
      if (type !== 'deleted' && needsWork(object, finalizer)) queue.add(keyOf(object));
    }),
    ...(protection.watchUsers?.((key) => {
      const object = objects.get(key);
      if (object && isBeingDeleted(object)) queue.add(key);
    }) ?? []),
  ];
  const reconcile = (key: ObjectKey) => protect(context, protection, objects.get(key));
  return runKeyed(context, { name: protection.name, watch, reconcile });
}

function needsWork(object: KubeObject, finalizer: string): boolean {
  return isBeingDeleted(object) === hasFinalizer(object, finalizer);
}

async function protect<T extends KubeObject>(
  { client }: ControllerContext,
  { ref, finalizer, isUsed }: Protection<T>,
  object: T | undefined,
): Promise<undefined> {
  if (!object || !needsWork(object, finalizer)) return undefined;
  if (isBeingDeleted(object) && (await isUsed(object))) return undefined;
  const changed = isBeingDeleted(object) ? withoutFinalizer(object, finalizer) : withFinalizer(object, finalizer);
  try {
    await client.resource(ref, object.metadata.namespace).update(changed);
  } catch (error) {
    // The informer reports the writes that happened meanwhile.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return undefined;
}
