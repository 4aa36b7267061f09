import { isTerminalPhase, type Pod, refs } from '@coracle/api';
import { findCondition, formatTime, isNotFound, keyOf, type ObjectKey, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { type ControllerContext, runKeyed } from '../controller.js';
import { deletionTimeoutMs } from './compute-budget.js';

const type = 'DisruptionTarget';

/** Time after which a pod with a DisruptionTarget condition that was not deleted counts as staying. */
export function staleAt({ metadata, status }: Pod, now: Millis): Millis | undefined {
  const condition = findCondition(status?.conditions, type);
  const ended = isTerminalPhase(status?.phase);
  if (condition?.status !== 'True' || metadata.deletionTimestamp || ended) return undefined;
  return (parseTime(condition.lastTransitionTime ?? '') ?? now) + deletionTimeoutMs;
}

/** Removes the DisruptionTarget condition from pods that were not disrupted. */
export function watchStaleTargets(context: ControllerContext): AsyncDisposable {
  const { informers, clock } = context;
  const pods = informers.for(refs.pods);
  return runKeyed(context, {
    name: 'stale_pod_disruption',
    workers: 1,
    watch: (queue) => [
      pods.addHandler((event) => {
        if (event.type === 'deleted') return;
        const at = staleAt(event.object, clock.now());
        if (at !== undefined) queue.addAfter(keyOf(event.object), at - clock.now());
      }),
    ],
    reconcile: (key) => clear(key, context),
  });
}

async function clear(key: ObjectKey, { client, informers, clock }: ControllerContext): Promise<void> {
  const pod = informers.for(refs.pods).get(key);
  const now = clock.now();
  const at = pod && staleAt(pod, now);
  if (at === undefined || at > now) return;
  const { name = '', namespace, uid, generation } = pod?.metadata ?? {};
  const condition = {
    type,
    status: 'False',
    lastTransitionTime: formatTime(now),
    reason: null,
    message: null,
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  await client
    .pods(namespace)
    .patch(
      name,
      { metadata: { uid }, status: { conditions: [condition] } },
      { type: 'strategic', subresource: 'status' },
    )
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}
