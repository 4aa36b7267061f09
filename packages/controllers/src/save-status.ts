import { isConflict, isNotFound, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { ControllerContext } from './controller.js';

/**
 * Writes a status if it has changed. A conflict with a newer spec is retried, because the status is still valid. A
 * deleted object is ignored.
 */
export async function saveStatus<T extends KubeObject & { readonly status?: unknown }>(
  { client }: ControllerContext,
  ref: ResourceRef<T>,
  { object, status }: { readonly object: T; readonly status: T['status'] },
): Promise<void> {
  if (deepEqual(status, object.status ?? {})) return;
  const objects = client.resource(ref, object.metadata.namespace);
  try {
    await objects.updateStatus({ ...object, status }).catch(async (error: unknown) => {
      if (!isConflict(error)) throw error;
      return objects.updateStatus({ ...(await objects.get(object.metadata.name ?? '')), status });
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
