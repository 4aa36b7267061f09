import { type ConditionLike, type KubeObject, setCondition } from '@coracle/apimachinery';
import { type Clock, deepEqual } from '@coracle/base';
import type { ResourceClient } from '@coracle/client';

/** An object whose status has conditions, as most have. */
export interface Conditioned extends KubeObject {
  status?: { conditions?: ConditionLike[] };
}

/** A condition without times and generation, which are filled in. */
export interface NewCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** A word in CamelCase, for machines. */
  readonly reason: string;
  /** A sentence, for people. */
  readonly message?: string;
}

/**
 * The object with the condition in its status, observed at its current generation. The transition time changes only
 * with the status of the condition; returns the same object if nothing changes.
 */
export function withCondition<T extends Conditioned>(object: T, condition: NewCondition, clock: Clock): T {
  const { generation } = object.metadata;
  const next = { message: '', ...condition, ...(generation !== undefined && { observedGeneration: generation }) };
  const current = object.status?.conditions;
  const conditions = setCondition<ConditionLike>(current, next, clock.now());
  return conditions === current ? object : { ...object, status: { ...object.status, conditions: [...conditions] } };
}

/** Writes the status of `next` if it differs from that of `current`, the last known state on the server. */
export async function writeStatus<T extends KubeObject & { status?: unknown }>(
  resource: ResourceClient<T>,
  { current, next }: { readonly current: T; readonly next: T },
): Promise<T> {
  return deepEqual(current.status, next.status) ? current : resource.updateStatus(next);
}
