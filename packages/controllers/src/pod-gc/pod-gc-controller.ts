import { isTerminalPod, type Pod, refs } from '@coracle/api';
import { isNotFound, setCondition } from '@coracle/apimachinery';
import { DisposableStack, type Millis } from '@coracle/base';
import type { Controller, ControllerContext } from '../controller.js';
import { passEvery } from '../pass-every.js';
import { type PodToCollect, planPodGc } from './plan-pod-gc.js';
import { Quarantine } from './quarantine.js';

const periodMs: Millis = 20_000;
/** Quarantine: a node that was just deleted may be created again under the same name. */
const quarantineMs: Millis = 40_000;
const defaultThreshold = 12_500;
/**
 * Maximum number of concurrent deletions: the pods of a node may be hundreds, and the server must serve other requests
 * meanwhile.
 */
const mostAtOnce = 20;

export interface PodGcOptions {
  /** `--terminated-pod-gc-threshold`: maximum number of terminated pods; 0 for unlimited. */
  readonly terminatedThreshold?: number;
}

/** Deletes pods that no kubelet will: pods of deleted nodes, of no node at all, and terminated ones beyond a number. */
export function podGarbageCollector({ terminatedThreshold = defaultThreshold }: PodGcOptions = {}): Controller {
  return {
    name: 'pod-garbage-collector-controller',
    account: 'pod-garbage-collector',
    start(context) {
      informersOf(context);
      const quarantine = new Quarantine(quarantineMs);
      const parts = new DisposableStack();
      parts.use(
        passEvery(context, {
          periodMs,
          failure: 'Pods could not be collected',
          pass: () => collect(context, { quarantine, terminatedThreshold }),
        }),
      );
      return parts;
    },
  };
}

function informersOf({ informers }: ControllerContext) {
  return { pods: informers.for(refs.pods), nodes: informers.for(refs.nodes) };
}

async function collect(
  context: ControllerContext,
  { quarantine, terminatedThreshold }: { readonly quarantine: Quarantine; readonly terminatedThreshold: number },
): Promise<void> {
  const { clock, client } = context;
  const { pods, nodes } = informersOf(context);
  const view = { pods: pods.list(), nodes: nodes.list(), terminatedThreshold };
  const first = planPodGc({ ...view, vanishedNodes: new Set() });
  const vanishedNodes = new Set<string>();
  for (const name of quarantine.update(first.missingNodes, clock.now())) {
    const found = await client.nodes().get(name).catch(ignoreGone);
    if (!found) vanishedNodes.add(name);
  }
  const { collect: chosen } = vanishedNodes.size > 0 ? planPodGc({ ...view, vanishedNodes }) : first;
  const left = chosen.values();
  const atOnce = Math.min(mostAtOnce, chosen.length);
  await Promise.all(Array.from({ length: atOnce }, () => removeEach(left, context)));
}

/** Workers share one iterator; a failed pod is retried in the next pass. */
async function removeEach(left: Iterable<PodToCollect>, context: ControllerContext): Promise<void> {
  const { total, errors } = deletionMetrics(context);
  for (const one of left) {
    const { name = '', namespace = '' } = one.pod.metadata;
    const labels = { namespace, reason: one.why };
    total.add(1, labels);
    await remove(one, context).catch((error: unknown) => {
      errors.add(1, labels);
      context.logger.error('Failed to garbage collect a pod', { pod: `${namespace}/${name}`, error });
    });
  }
}

function deletionMetrics({ metrics }: ControllerContext) {
  const labels = ['namespace', 'reason'];
  return {
    total: metrics.counter({
      name: 'pod_gc_collector_force_delete_pods_total',
      help: 'Number of pods that are being forcefully deleted since the Pod GC Controller started.',
      labels,
    }),
    errors: metrics.counter({
      name: 'pod_gc_collector_force_delete_pod_errors_total',
      help: 'Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.',
      labels,
    }),
  };
}

/** A pod that has not terminated is marked as failed first, for clients that wait for its end. */
async function remove({ pod, why }: PodToCollect, context: ControllerContext): Promise<void> {
  const { client } = context;
  const { name = '', namespace, uid = '' } = pod.metadata;
  const ended = isTerminalPod(pod);
  try {
    if (!ended) await markAsFailed({ pod, why }, context);
    await client.pods(namespace).delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    ignoreGone(error);
  }
}

async function markAsFailed({ pod, why }: PodToCollect, { client, clock }: ControllerContext): Promise<void> {
  const { name = '', namespace, uid, generation } = pod.metadata;
  const conditions = why === 'orphaned' ? [...setCondition(undefined, disruption(generation), clock.now())] : [];
  const status = { phase: 'Failed', ...(conditions.length > 0 && { conditions }) };
  await client.pods(namespace).patch(name, { metadata: { uid }, status }, { type: 'strategic', subresource: 'status' });
}

function disruption(generation: number | undefined): NonNullable<NonNullable<Pod['status']>['conditions']>[number] {
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

function ignoreGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
