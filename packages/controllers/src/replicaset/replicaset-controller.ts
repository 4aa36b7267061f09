import { type Pod, type ReplicaSet, refs } from '@coracle/api';
import { isConflict, isNotFound, keyOf, LabelSelector, type ObjectKey } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { InformerEvent } from '@coracle/client';
import { isNamespaceTerminating } from '../active-namespace.js';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { Expectations } from '../expectations.js';
import { claim, controllerOf } from '../owner-claims.js';
import { claimable, dependentsOf, indexByOwner } from '../owner-index.js';
import { createPod, deletePod, messageOf, type PodOwner } from '../pod-control.js';
import { availableIn, isActive } from '../pod-state.js';
import { slowStart } from '../slow-start.js';
import { planReplicaSet } from './plan-replicaset.js';
import { computeReplicaSetStatus, type StatusInput } from './replicaset-status.js';

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet' } as const;

/** Keeps as many pods alive as a replica set asks for. */
export const replicaSetController: Controller = {
  name: 'replicaset-controller',
  start(context) {
    const { informers } = context;
    const replicaSets = informers.for(refs.replicaSets);
    const pods = informers.for(refs.pods);
    indexByOwner(pods);
    indexByOwner(replicaSets);
    const expectations = new Expectations(context.clock);
    return runKeyed(context, {
      name: 'replicaset',
      watch: (queue) => [
        replicaSets.addHandler(({ type, object }) => {
          if (type === 'deleted') expectations.forget(keyOf(object));
          queue.add(keyOf(object));
        }),
        pods.addHandler((event) => onPod(event, { context, queue, expectations })),
      ],
      reconcile: (key) => reconcile(key, context, expectations),
    });
  },
};

interface PodEventContext {
  readonly context: ControllerContext;
  readonly queue: KeyQueue;
  readonly expectations: Expectations;
}

function onPod(event: InformerEvent<Pod>, { context, queue, expectations }: PodEventContext): void {
  const { object } = event;
  const reference = controllerOf(object);
  if (reference) {
    const replicaSet = findByReference(context, object.metadata.namespace ?? '', reference);
    if (!replicaSet) return;
    const key = keyOf(replicaSet);
    const going = event.type === 'deleted' || object.metadata.deletionTimestamp !== undefined;
    if (going) expectations.deletionObserved(key, object.metadata.uid ?? '');
    else if (event.type === 'added') expectations.creationObserved(key);
    // While pods are still expected there is nothing to decide; the last of them brings the next look.
    if (event.type !== 'added' || expectations.satisfied(key)) queue.add(key);
  } else if (event.type !== 'deleted') {
    for (const replicaSet of matching(context, object)) queue.add(keyOf(replicaSet));
  }
  const before = event.type === 'updated' ? controllerOf(event.previous) : undefined;
  if (!before || before.uid === reference?.uid) return;
  const previous = findByReference(context, object.metadata.namespace ?? '', before);
  if (previous) queue.add(keyOf(previous));
}

function findByReference(
  { informers }: ControllerContext,
  namespace: string,
  { kind, name, uid }: { kind: string; name: string; uid: string },
): ReplicaSet | undefined {
  if (kind !== owner.kind) return undefined;
  const found = informers.for(refs.replicaSets).get(`${namespace}/${name}`);
  return found?.metadata.uid === uid ? found : undefined;
}

function matching({ informers }: ControllerContext, pod: Pod): ReplicaSet[] {
  return informers
    .for(refs.replicaSets)
    .list(pod.metadata.namespace)
    .filter(({ spec }) => selectorOf(spec?.selector).matches(pod.metadata.labels ?? {}));
}

function selectorOf(selector: NonNullable<ReplicaSet['spec']>['selector'] | undefined): LabelSelector {
  const parsed = LabelSelector.fromObject(selector);
  // An empty selector would take in the whole namespace.
  return parsed.isEmpty ? LabelSelector.nothing : parsed;
}

async function reconcile(
  key: ObjectKey,
  context: ControllerContext,
  expectations: Expectations,
): Promise<{ requeueAfterMs: number } | undefined> {
  const replicaSet = context.informers.for(refs.replicaSets).get(key);
  if (!replicaSet) return undefined;
  const needsWork = expectations.satisfied(key);
  const pods = await claimPods(replicaSet, context);
  let failure: StatusInput['failure'];
  if (needsWork && !replicaSet.metadata.deletionTimestamp)
    failure = await manage({ key, replicaSet, pods, context, expectations });
  await writeStatus(replicaSet, context, { pods, failure });
  if (failure) throw new Error(failure.message);
  return nextLook(replicaSet, pods, context);
}

function claimPods(replicaSet: ReplicaSet, { client, informers }: ControllerContext): Promise<Pod[]> {
  const { namespace = '', name = '' } = replicaSet.metadata;
  const pods = informers.for(refs.pods);
  return claim<Pod>(claimable(pods, replicaSet), {
    owner: replicaSet,
    ownerKind: owner,
    selector: selectorOf(replicaSet.spec?.selector),
    freshOwner: () => client.resource(refs.replicaSets, namespace).get(name),
    patch: (pod, patch) =>
      client.resource(refs.pods, namespace).patch(pod.metadata.name ?? '', patch, { type: 'strategic' }),
  });
}

interface ManageInput {
  readonly key: ObjectKey;
  readonly replicaSet: ReplicaSet;
  readonly pods: readonly Pod[];
  readonly context: ControllerContext;
  readonly expectations: Expectations;
}

/** Creates what is missing, or deletes what is too much. Gives what went wrong. */
async function manage({ key, replicaSet, pods, context, expectations }: ManageInput): Promise<StatusInput['failure']> {
  const active = pods.filter(isActive);
  const neighbours = countNeighbours(replicaSet, context);
  const plan = planReplicaSet(
    { desired: replicaSet.spec?.replicas ?? 1, active },
    { now: context.clock.now(), neighbours },
  );
  const podOwner: PodOwner = { object: replicaSet, ...owner };
  if (plan.create > 0) {
    expectations.expect(key, { creations: plan.create });
    const { done, error } = await slowStart(
      plan.create,
      async () => void (await createPod(context, podOwner, replicaSet.spec?.template)),
    );
    // What was never created will never be seen.
    expectations.creationObserved(key, plan.create - done);
    // In a namespace on its way out nothing can be made any more, however often it is tried.
    if (error === undefined || isNamespaceTerminating(error)) return undefined;
    return { reason: 'FailedCreate', message: messageOf(error) };
  }
  if (plan.delete.length > 0) {
    expectations.expect(key, { deletions: plan.delete.map(({ metadata }) => metadata.uid ?? '') });
    const results = await Promise.allSettled(plan.delete.map((pod) => deletePod(context, podOwner, pod)));
    results.forEach(({ status }, index) => {
      if (status === 'rejected') expectations.deletionObserved(key, plan.delete[index]?.metadata.uid ?? '');
    });
    const failed = results.find((result) => result.status === 'rejected');
    return failed && { reason: 'FailedDelete', message: messageOf(failed.reason) };
  }
  return undefined;
}

/** Pods of this replica set and of those with the same owner (the other revisions of a deployment), by node. */
function countNeighbours(replicaSet: ReplicaSet, { informers }: ControllerContext): (pod: Pod) => number {
  let counts: Map<string, number> | undefined;
  return ({ spec }) => {
    counts ??= neighboursByNode(replicaSet, informers);
    return counts.get(spec?.nodeName ?? '') ?? 0;
  };
}

function neighboursByNode(replicaSet: ReplicaSet, informers: ControllerContext['informers']): Map<string, number> {
  const family = controllerOf(replicaSet);
  const related = family ? dependentsOf(informers.for(refs.replicaSets), family.uid) : [replicaSet];
  const counts = new Map<string, number>();
  for (const { metadata } of related) {
    for (const pod of dependentsOf(informers.for(refs.pods), metadata.uid ?? '')) {
      const node = pod.spec?.nodeName;
      if (node && isActive(pod)) counts.set(node, (counts.get(node) ?? 0) + 1);
    }
  }
  return counts;
}

async function writeStatus(
  replicaSet: ReplicaSet,
  { client, clock }: ControllerContext,
  { pods, failure }: { readonly pods: readonly Pod[]; readonly failure: StatusInput['failure'] },
): Promise<void> {
  const status = computeReplicaSetStatus({ replicaSet, pods, now: clock.now(), ...(failure && { failure }) });
  if (deepEqual(status, replicaSet.status ?? {})) return;
  const { namespace, name = '' } = replicaSet.metadata;
  try {
    await client.resource(refs.replicaSets, namespace).updateStatus({ ...replicaSet, status });
  } catch (error) {
    if (isNotFound(error)) return;
    if (!isConflict(error)) throw error;
    // Somebody has written the spec: our status still holds.
    const fresh = await client.resource(refs.replicaSets, namespace).get(name);
    await client.resource(refs.replicaSets, namespace).updateStatus({ ...fresh, status });
  }
}

/** A pod that is ready and not yet available becomes so without any event. */
function nextLook(
  { spec }: ReplicaSet,
  pods: readonly Pod[],
  { clock }: ControllerContext,
): { requeueAfterMs: number } | undefined {
  const now = clock.now();
  const waits = pods.filter(isActive).flatMap((pod) => availableIn(pod, spec?.minReadySeconds ?? 0, now) ?? []);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
}
