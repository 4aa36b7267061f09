import { type Pod, refs } from '@coracle/api';
import { formatTime, isConflict, isNotFound, keyOf, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import { deepEqual, monotonicNow } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { indexPodsByNode, podsOnNode } from '../pods-on-node.js';
import { EvictionTimers } from './eviction-timers.js';
import { executingTaints, planEviction } from './plan-eviction.js';

/** Evicts pods from nodes whose taints they do not tolerate (any longer). */
export const taintEvictionController: Controller = {
  name: 'taint-eviction-controller',
  account: 'node-controller',
  start(context) {
    indexPodsByNode(context.informers);
    let timers: EvictionTimers | undefined;
    return runKeyed(context, {
      name: 'noexec_taint_pod',
      watch: (queue) => {
        timers = new EvictionTimers(context.clock, (podKey) => queue.add(podKey));
        return [...watchTaints(context, timers), timers];
      },
      reconcile: async (podKey) => {
        if (timers) await evict(podKey, context, timers);
      },
    });
  },
};

function watchTaints(context: ControllerContext, timers: EvictionTimers): Disposable[] {
  const { informers } = context;
  return [
    informers.for(refs.nodes).addHandler((event) => {
      const taints = event.type === 'deleted' ? [] : executingTaints(event.object.spec?.taints);
      const before = event.type === 'updated' ? executingTaints(event.previous.spec?.taints) : [];
      if (deepEqual(taints, before)) return;
      for (const pod of podsOnNode(informers, event.object.metadata.name ?? '')) consider(pod, context, timers);
    }),
    informers.for(refs.pods).addHandler((event) => {
      if (event.type === 'deleted') cancel(event.object, context, timers);
      else if (event.type === 'added' ? event.object.spec?.nodeName : mayMatter(event.object, event.previous))
        consider(event.object, context, timers);
    }),
  ];
}

function mayMatter(pod: Pod, previous: Pod): boolean {
  return (
    pod.spec?.nodeName !== previous.spec?.nodeName || !deepEqual(pod.spec?.tolerations, previous.spec?.tolerations)
  );
}

function consider(pod: Pod, context: ControllerContext, timers: EvictionTimers): void {
  const node = context.informers.for(refs.nodes).get(pod.spec?.nodeName ?? '');
  const plan = planEviction(executingTaints(node?.spec?.taints), pod.spec?.tolerations ?? []);
  if (plan.kind === 'stay') cancel(pod, context, timers);
  else if (timers.schedule(keyOf(pod), pod.metadata.uid ?? '', plan.delayMs)) tellOfCancellation(pod, context);
}

function cancel(pod: Pod, context: ControllerContext, timers: EvictionTimers): void {
  if (timers.cancel(keyOf(pod)) && !pod.metadata.deletionTimestamp) tellOfCancellation(pod, context);
}

function tellOfCancellation(pod: Pod, { recorder }: ControllerContext): void {
  recorder.event(subject(pod), 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${keyOf(pod)}`);
}

/** Sets the condition with the reason, then deletes the pod. */
async function evict(podKey: ObjectKey, context: ControllerContext, timers: EvictionTimers): Promise<void> {
  const { client, informers, recorder } = context;
  const pod = informers.for(refs.pods).get(podKey);
  const due = timers.get(podKey);
  if (!pod || !due || pod.metadata.uid !== due.uid) return;
  const { uid, at } = due;
  const { namespace, name } = splitObjectKey(podKey);
  recorder.event(subject(pod), 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${podKey}`);
  try {
    const pods = client.resource(refs.pods, namespace);
    const patch = { metadata: { uid }, status: { conditions: [disruptionTarget(pod, context)] } };
    await pods.patch(name, patch, { type: 'strategic', subresource: 'status' });
    await pods.delete(name, { preconditions: { uid } });
    const { deletions, latency } = evictionMetrics(context);
    deletions.add(1);
    latency.observe((monotonicNow(context.clock) - at) / 1000);
  } catch (error) {
    // Another pod of the same name: ignored.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  timers.cancel(podKey);
}

function disruptionTarget({ metadata, status }: Pod, { clock }: ControllerContext): object {
  const match = status?.conditions?.find(({ type, status: value }) => type === 'DisruptionTarget' && value === 'True');
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: match?.lastTransitionTime ?? formatTime(clock.now()),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
}

function subject(pod: Pod): Pod {
  return { ...pod, apiVersion: 'v1', kind: 'Pod' };
}

function evictionMetrics({ metrics }: ControllerContext) {
  return {
    deletions: metrics.counter({
      name: 'taint_eviction_controller_pod_deletions_total',
      help: 'Total number of Pods deleted by TaintEvictionController since its start.',
    }),
    latency: metrics.histogram({
      name: 'taint_eviction_controller_pod_deletion_duration_seconds',
      help: 'Seconds between the time at which a Pod had to be evicted because of taints and its deletion.',
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    }),
  };
}
