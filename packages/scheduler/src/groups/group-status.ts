import { refs } from '@coracle/api';
import { formatTime, isNotFound } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { PodGroup } from './pod-groups.js';

const type = 'PodGroupScheduled';

export interface GroupCondition {
  readonly status: 'True' | 'False';
  readonly reason: 'Scheduled' | 'Unschedulable' | 'SchedulerError';
  readonly message: string;
}

/**
 * Writes into the status of a pod group whether it was scheduled. A group that was scheduled once stays so, regardless
 * of later pods.
 */
export async function reportGroup(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  { metadata, status }: PodGroup,
  condition: GroupCondition,
): Promise<void> {
  const current = status?.conditions?.find((one) => one.type === type);
  if (current?.status === 'True' && condition.status !== 'True') return;
  const { generation, name = '', namespace = '' } = metadata;
  const isSame =
    current?.status === condition.status &&
    current.reason === condition.reason &&
    current.message === condition.message &&
    current.observedGeneration === generation;
  if (isSame) return;
  const changed = {
    type,
    ...condition,
    lastTransitionTime: current?.status === condition.status ? current.lastTransitionTime : formatTime(clock.now()),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  try {
    await client
      .resource(refs.podGroups, namespace)
      .patch(name, { status: { conditions: [changed] } }, { type: 'strategic', subresource: 'status' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
