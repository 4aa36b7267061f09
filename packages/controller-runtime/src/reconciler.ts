import { isNotFound, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import type { Logger } from '@coracle/base';
import type { Client, ReconcileResult } from '@coracle/client';

/**
 * What to reconcile: a name, never an event. A reconciler reads the current state, whatever triggered it.
 * The namespace is empty for cluster-wide objects.
 */
export interface Request {
  readonly namespace: string;
  readonly name: string;
}

/** Arguments of a reconciler besides the request. */
export interface ReconcileContext {
  /** Aborts when the manager stops. */
  readonly signal: AbortSignal;
  /** Says which controller and which object. */
  readonly logger: Logger;
}

/** Nothing, or when to reconcile again. */
export type ReconcileOutcome = Promise<ReconcileResult | void> | ReconcileResult | void;

/**
 * Moves the actual state towards the desired state of the object. It may run again at any time, so it must be
 * idempotent.
 *
 * Errors are logged and retried with backoff; after a `TerminalError` it runs only when the object changes.
 */
export type ReconcileFunction = (request: Request, context: ReconcileContext) => ReconcileOutcome;

/** A reconciler with its own state. */
export interface ReconcilerObject {
  reconcile: ReconcileFunction;
}

/** A function, or an object that has one. */
export type Reconciler = ReconcileFunction | ReconcilerObject;

export function reconcileFunctionOf(reconciler: Reconciler): ReconcileFunction {
  return typeof reconciler === 'function' ? reconciler : (request, context) => reconciler.reconcile(request, context);
}

/** A reconciler that gets the object itself, read through `client`. It is not called for a deleted object. */
export function reconcileObject<T extends KubeObject>(
  { client, ref }: { readonly client: Client; readonly ref: ResourceRef<T> },
  reconcile: (object: T, context: ReconcileContext) => ReconcileOutcome,
): ReconcileFunction {
  return async ({ namespace, name }, context) => {
    const object = await find(client.resource(ref, namespace).get(name));
    return object && reconcile(object, context);
  };
}

/** What is read, or `undefined` if the server says that it is not there. */
export async function find<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
