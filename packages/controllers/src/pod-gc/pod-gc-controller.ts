import { type Pod, refs } from '@coracle/api';
import { isNotFound, setCondition } from '@coracle/apimachinery';
import { DisposableStack, every, type Millis } from '@coracle/base';
import type { Controller, ControllerContext } from '../controller.js';
import { type PodToCollect, planPodGc } from './plan-pod-gc.js';
import { Quarantine } from './quarantine.js';

const periodMs: Millis = 20_000;
/** A node that has just been deleted may come back under the same name. */
const quarantineMs: Millis = 40_000;
const terminatedThreshold = 12_500;
/** A node takes hundreds of pods with it when it goes: the server has others to serve meanwhile. */
const mostAtOnce = 20;

/** Removes pods that no kubelet will: of nodes that are gone, of no node at all, and ended ones beyond a number. */
export const podGarbageCollector: Controller = {
  name: 'pod-garbage-collector-controller',
  account: 'pod-garbage-collector',
  start(context) {
    const { informers, clock, activity, logger } = context;
    informers.for(refs.pods);
    informers.for(refs.nodes);
    const quarantine = new Quarantine(quarantineMs);
    const parts = new DisposableStack();
    let running = false;
    const pass = async () => {
      if (running || !informers.for(refs.pods).hasSynced || !informers.for(refs.nodes).hasSynced) return;
      running = true;
      const work = activity.begin();
      try {
        await collect(context, quarantine);
      } catch (error) {
        logger.error('Pods could not be collected', { error });
      } finally {
        running = false;
        work[Symbol.dispose]();
      }
    };
    parts.use(every(clock, periodMs, () => void pass()));
    return parts;
  },
};

async function collect(context: ControllerContext, quarantine: Quarantine): Promise<void> {
  const { informers, clock, client } = context;
  const view = { pods: informers.for(refs.pods).list(), nodes: informers.for(refs.nodes).list(), terminatedThreshold };
  const { missingNodes } = planPodGc({ ...view, vanishedNodes: new Set() });
  const vanishedNodes = new Set<string>();
  for (const name of quarantine.update(missingNodes, clock.now())) {
    const found = await client.nodes().get(name).catch(ignoreGone);
    if (!found) vanishedNodes.add(name);
  }
  const plan = planPodGc({ ...view, vanishedNodes });
  const left = plan.collect.values();
  await Promise.all(Array.from({ length: mostAtOnce }, () => removeEach(left, context)));
}

/** Takes one after the other from what several take from; a pod that stays is tried again in the next pass. */
async function removeEach(left: Iterable<PodToCollect>, context: ControllerContext): Promise<void> {
  for (const one of left) {
    const { name = '', namespace = '' } = one.pod.metadata;
    await remove(one, context).catch((error: unknown) => {
      context.logger.error('A pod could not be collected', { pod: `${namespace}/${name}`, error });
    });
  }
}

/** A pod that has not ended is said to have failed first, for those who wait for its end. */
async function remove({ pod, why }: PodToCollect, context: ControllerContext): Promise<void> {
  const { client } = context;
  const { name = '', namespace, uid = '' } = pod.metadata;
  const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
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
