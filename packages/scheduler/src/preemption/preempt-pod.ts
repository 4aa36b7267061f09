import { type Pod, type PodCondition, refs } from '@coracle/api';
import { formatTime, isNotFound } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { WaitingPods } from '../binding-cycle.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { SchedulerProfile } from '../schedule-one.js';

const preempted = 'PreemptionByScheduler';

export interface PreemptPodRequest {
  /** Message of the condition on the pod. */
  readonly message: string;
  /** Message of the event about it. */
  readonly note: string;
  readonly deps: {
    readonly client: Client;
    readonly clock: Clock;
    readonly waiting: WaitingPods;
    readonly profile: () => SchedulerProfile;
  };
}

/** Evicts a victim: rejects it if it waits in Permit, deletes it otherwise. */
export async function preemptPod(victim: PodInfo, { message, note, deps }: PreemptPodRequest): Promise<void> {
  if (deps.waiting.has(victim.uid)) deps.waiting.reject(victim.uid, 'preempted');
  else await deleteVictim(victim, message, deps);
  deps.profile().recorder.event(victim.pod, 'Normal', 'Preempted', note, 'Preempting');
}

/** First sets the condition with the reason, for clients that watch the pod. */
async function deleteVictim(
  { pod, namespace }: PodInfo,
  message: string,
  { client, clock }: PreemptPodRequest['deps'],
): Promise<void> {
  const pods = client.resource<Pod>(refs.pods, namespace);
  const { name = '', uid, generation } = pod.metadata;
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: preempted,
    message,
    lastTransitionTime: formatTime(clock.now()),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  await ignoreNotFound(
    pods.patch(name, { status: { conditions: [condition] } }, { type: 'strategic', subresource: 'status' }),
  );
  await ignoreNotFound(pods.delete(name, uid === undefined ? {} : { preconditions: { uid } }));
}

/** Whether the pod was preempted, and has not ended yet. */
export function isLeaving({ pod, isTerminating }: PodInfo): boolean {
  const target = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return isTerminating && target?.status === 'True' && target.reason === preempted;
}

export async function ignoreNotFound(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
