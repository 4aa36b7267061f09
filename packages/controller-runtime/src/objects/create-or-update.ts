import { createMergePatch, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import { deepCopy, deepEqual } from '@coracle/base';
import type { Client, ResourceClient } from '@coracle/client';
import { find } from '../reconciler.js';

/** An object that should be there, and how. */
export interface Desired<T extends KubeObject> {
  readonly client: Client;
  readonly ref: ResourceRef<T>;
  readonly namespace?: string | undefined;
  readonly name: string;
  /**
   * Returns the desired object, from the existing one, or from bare metadata if there is none. It gets a copy and may
   * change it, and should set only its own fields: those of other managers, defaults among them, must stay.
   */
  readonly mutate: (current: T) => T;
}

/** The operation on an object, and the object after it. */
export interface Written<T> {
  readonly operation: 'created' | 'updated' | 'unchanged';
  readonly object: T;
}

/** Creates the object, or updates it. Nothing is written if it is as desired. */
export async function createOrUpdate<T extends KubeObject>(desired: Desired<T>): Promise<Written<T>> {
  return write(desired, async (resource, { next }) => resource.update(next));
}

/**
 * The same with a patch of what differs, and a second one for the status: fields that changed meanwhile and are not
 * ours do not make it fail.
 */
export async function createOrPatch<T extends KubeObject>(desired: Desired<T>): Promise<Written<T>> {
  return write(desired, async (resource, { current, next }) => {
    const before = parts(current);
    const after = parts(next);
    let object = current;
    if (!deepEqual(before.main, after.main))
      object = await resource.patch(desired.name, createMergePatch(before.main, after.main), { type: 'merge' });
    if (!deepEqual(before.status, after.status)) {
      const patch = createMergePatch({ status: before.status ?? {} }, { status: after.status ?? {} });
      object = await resource.patch(desired.name, patch, { type: 'merge', subresource: 'status' });
    }
    return object;
  });
}

interface Change<T> {
  readonly current: T;
  readonly next: T;
}

async function write<T extends KubeObject>(
  { client, ref, namespace, name, mutate }: Desired<T>,
  update: (resource: ResourceClient<T>, change: Change<T>) => Promise<T>,
): Promise<Written<T>> {
  const resource = client.resource(ref, namespace);
  const current = await find(resource.get(name));
  if (!current) {
    const bare = { metadata: { name, ...(namespace && { namespace }) } } as T;
    return { operation: 'created', object: await resource.create(named(mutate(bare), { namespace, name })) };
  }
  const next = named(mutate(deepCopy(current)), { namespace, name });
  if (deepEqual(current, next)) return { operation: 'unchanged', object: current };
  return { operation: 'updated', object: await update(resource, { current, next }) };
}

/** Another name would make another object than the one that was read. */
function named<T extends KubeObject>(
  object: T,
  { namespace, name }: { namespace: string | undefined; name: string },
): T {
  const { metadata } = object;
  if (metadata.name !== name || (metadata.namespace ?? namespace) !== namespace)
    throw new Error('the mutate function must not change the name or namespace of the object');
  return object;
}

function parts(object: KubeObject): { readonly main: Readonly<Record<string, unknown>>; readonly status: unknown } {
  const { status, ...main } = object as KubeObject & Readonly<Record<string, unknown>>;
  return { main, status };
}
