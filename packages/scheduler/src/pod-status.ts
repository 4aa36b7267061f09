import { type Pod, type PodCondition, refs } from '@coracle/api';
import { formatTime, isNotFound } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { PodInfo } from './cache/pod-info.js';

export interface SchedulingCondition {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  readonly nominatedNode?: string;
}

/** Writes to a pod's status why it is not scheduled. Nothing is sent if the status is unchanged. */
export async function reportUnscheduled(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  { pod, namespace }: PodInfo,
  condition: SchedulingCondition,
): Promise<void> {
  const current = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const nominated = condition.nominatedNode;
  const renominated = nominated !== undefined && nominated !== (pod.status?.nominatedNodeName ?? '');
  const same =
    current?.status === 'False' && current.reason === condition.reason && current.message === condition.message;
  if (same && !renominated) return;
  const changed: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason: condition.reason,
    message: condition.message,
    lastTransitionTime:
      current?.status === 'False' && current.lastTransitionTime ? current.lastTransitionTime : formatTime(clock.now()),
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  };
  const patch = { status: { conditions: [changed], ...(renominated && { nominatedNodeName: nominated || null }) } };
  try {
    await client
      .resource<Pod>(refs.pods, namespace)
      .patch(pod.metadata.name ?? '', patch, { type: 'strategic', subresource: 'status' });
  } catch (error) {
    // The pod was deleted in the meantime.
    if (!isNotFound(error)) throw error;
  }
}
