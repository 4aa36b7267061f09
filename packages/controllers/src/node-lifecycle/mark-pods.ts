import { type Pod, refs } from '@coracle/api';
import { formatTime, isNotFound } from '@coracle/apimachinery';
import type { ControllerContext } from '../controller.js';
import { isReady } from '../pod-state.js';
import { podsOnNode } from '../pods-on-node.js';

/**
 * Marks the pods of an unreachable node as not ready, so that they receive no traffic. False if some updates failed.
 */
export async function markPodsNotReady(context: ControllerContext, nodeName: string): Promise<boolean> {
  const pods = podsOnNode(context.informers, nodeName);
  const results = await Promise.allSettled(pods.map((pod) => markPodNotReady(context, pod)));
  return results.every(({ status }) => status === 'fulfilled');
}

export async function markPodNotReady({ client, clock, recorder }: ControllerContext, pod: Pod): Promise<void> {
  if (!isReady(pod)) return;
  const { namespace, name = '', uid } = pod.metadata;
  const ready = { type: 'Ready', status: 'False', lastTransitionTime: formatTime(clock.now()) };
  try {
    const patch = { metadata: { uid }, status: { conditions: [ready] } };
    await client.resource(refs.pods, namespace).patch(name, patch, { type: 'strategic', subresource: 'status' });
    recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 'Warning', 'NodeNotReady', 'Node is not ready');
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
