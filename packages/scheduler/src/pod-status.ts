import { type Pod, type PodCondition, refs } from '@coracle/api';
import { formatTime, isNotFound } from '@coracle/apimachinery';
import type { Clock, Logger } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { PodInfo } from './cache/pod-info.js';

export interface SchedulingCondition {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  readonly nominatedNode?: string;
}

/**
 * Writes the nominated node of a pod that is about to be bound, for other components such as autoscalers. Returns the
 * updated pod; `undefined` if nothing was written, which does not prevent binding.
 */
export async function nominatePod(
  { client, logger }: { readonly client: Client; readonly logger: Logger },
  { pod, namespace, key }: PodInfo,
  nominatedNodeName: string,
): Promise<Pod | undefined> {
  if (pod.status?.nominatedNodeName === nominatedNodeName) return undefined;
  try {
    return await client
      .resource<Pod>(refs.pods, namespace)
      .patch(pod.metadata.name ?? '', { status: { nominatedNodeName } }, { type: 'merge', subresource: 'status' });
  } catch (error) {
    logger.error('the node of a pod could not be written to its status', { pod: key, node: nominatedNodeName, error });
    return undefined;
  }
}

/** Writes the reason why a pod has no node into its status. Sends no request if the status is unchanged. */
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
