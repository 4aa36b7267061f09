import { type Pod, type ReplicaSet, type ReplicationController, refs } from '@coracle/api';
import { controllerOf, keyOf, type ObjectKey, parseTime } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import type { InformerEvent } from '@coracle/client';
import { isNamespaceTerminating } from '../active-namespace.js';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { Expectations } from '../expectations.js';
import { dependentsOf, indexByOwner } from '../owner-index.js';
import { createPod, deletePod, type PodOwner } from '../pod-control.js';
import { claimPods, followPods, ownerSelector, type PodOwnerKind } from '../pod-owners.js';
import { availableIn, isActive, isReady } from '../pod-state.js';
import { saveStatus } from '../save-status.js';
import { slowStart } from '../slow-start.js';
import { planReplicaSet } from './plan-replicaset.js';
import { computeReplicaSetStatus, type StatusInput } from './replicaset-status.js';

/**
 * Kinds that maintain a number of equal pods. A ReplicationController differs only in its selector, which is a map of
 * labels.
 */
export type Replicated = ReplicaSet | ReplicationController;

export interface ReplicatedKind<T extends Replicated>
  extends PodOwnerKind<T>,
    Pick<Controller, 'name' | 'account' | 'component'> {
  readonly queue: string;
  /** Whether its status reports the number of terminating pods. */
  readonly countsTerminating: boolean;
}

/** Keeps the number of pods of a replica set. */
export const replicaSetController: Controller = replicaController<ReplicaSet>({
  name: 'replicaset-controller',
  queue: 'replicaset',
  ref: refs.replicaSets,
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  selectorOf: ({ spec }) => ownerSelector(spec?.selector),
  countsTerminating: true,
});

export function replicaController<T extends Replicated>(kind: ReplicatedKind<T>): Controller {
  const { name, account = name, component = name } = kind;
  return {
    name,
    account,
    component,
    start(context) {
      const owners = context.informers.for(kind.ref);
      const pods = context.informers.for(refs.pods);
      indexByOwner(pods);
      indexByOwner(owners);
      const work: Work<T> = { kind, context, expectations: new Expectations(context.clock) };
      return runKeyed(context, {
        name: kind.queue,
        resource: kind.ref.resource,
        watch: (queue) => [
          owners.addHandler((event) => {
            if (isAnother(event)) work.expectations.forget(keyOf(event.object));
            queue.add(keyOf(event.object));
          }),
          followPods(context, kind, { queue, expectations: work.expectations }),
        ],
        reconcile: (key) => reconcile(key, work),
      });
    },
  };
}

/** The observed object was deleted, though there may be another of its name. */
function isAnother<T extends Replicated>(event: InformerEvent<T>): boolean {
  if (event.type !== 'updated') return event.type === 'deleted';
  return event.previous.metadata.uid !== event.object.metadata.uid;
}

interface Work<T extends Replicated> {
  readonly kind: ReplicatedKind<T>;
  readonly context: ControllerContext;
  readonly expectations: Expectations;
}

async function reconcile<T extends Replicated>(
  key: ObjectKey,
  work: Work<T>,
): Promise<{ requeueAfterMs: number } | undefined> {
  const { context, expectations, kind } = work;
  const object = context.informers.for(kind.ref).get(key);
  if (!object) return undefined;
  const needsWork = expectations.satisfied(key);
  const pods = await claimPods<T>(object, work);
  let failure: StatusInput['failure'];
  if (needsWork && !object.metadata.deletionTimestamp) failure = await manage({ key, object, pods, work });
  await writeStatus(object, work, { pods, failure });
  if (failure) throw new Error(failure.message);
  return nextLook(object, pods, context);
}

interface ManageInput<T extends Replicated> {
  readonly key: ObjectKey;
  readonly object: T;
  readonly pods: readonly Pod[];
  readonly work: Work<T>;
}

/** Creates missing pods, or deletes surplus ones. Returns the error. */
async function manage<T extends Replicated>({
  key,
  object,
  pods,
  work,
}: ManageInput<T>): Promise<StatusInput['failure']> {
  const { context, expectations, kind } = work;
  const active = pods.filter(isActive);
  const neighbours = countNeighbours(object, work);
  const plan = planReplicaSet(
    { desired: object.spec?.replicas ?? 1, active },
    { now: context.clock.now(), neighbours },
  );
  const { apiVersion, kind: ownerKind } = kind;
  const podOwner: PodOwner = { object, apiVersion, kind: ownerKind };
  if (plan.create > 0) {
    expectations.expect(key, { creations: plan.create });
    const { done, error } = await slowStart(
      plan.create,
      async () => void (await createPod(context, podOwner, object.spec?.template)),
    );
    // What was never created will never be seen.
    expectations.creationObserved(key, plan.create - done);
    // In a terminating namespace nothing can be created any more.
    if (error === undefined || isNamespaceTerminating(error)) return undefined;
    return { reason: 'FailedCreate', message: messageOf(error) };
  }
  if (plan.delete.length > 0) {
    if (plan.delete.length < active.length) measureChoice(context, plan.delete, active);
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

/** Metric of the age of deleted pods relative to the youngest, among ready ones: at most about two. */
function measureChoice({ metrics, clock }: ControllerContext, chosen: readonly Pod[], all: readonly Pod[]): void {
  const now = clock.now();
  const ages = (pods: readonly Pod[]) =>
    pods.filter(isReady).map(({ metadata }) => now - (parseTime(metadata.creationTimestamp ?? '') ?? now));
  const youngest = Math.min(...ages(all));
  if (!Number.isFinite(youngest) || youngest <= 0) return;
  const ratio = metrics.histogram({
    name: 'replicaset_controller_sorting_deletion_age_ratio',
    help: "The ratio of chosen deleted pod's ages to the current youngest pod's age, among those that are ready.",
    buckets: [0.25, 0.5, 1, 2, 4, 8],
  });
  for (const age of ages(chosen)) ratio.observe(age / youngest);
}

/** Pods of this object and of those with the same owner (the other revisions of a deployment), by node. */
function countNeighbours<T extends Replicated>(object: T, work: Work<T>): (pod: Pod) => number {
  let counts: Map<string, number> | undefined;
  return ({ spec }) => {
    counts ??= neighboursByNode(object, work);
    return counts.get(spec?.nodeName ?? '') ?? 0;
  };
}

function neighboursByNode<T extends Replicated>(object: T, { kind, context }: Work<T>): Map<string, number> {
  const { informers } = context;
  const family = controllerOf(object);
  const related = family ? dependentsOf(informers.for(kind.ref), family.uid) : [object];
  const counts = new Map<string, number>();
  for (const { metadata } of related) {
    for (const pod of dependentsOf(informers.for(refs.pods), metadata.uid ?? '')) {
      const node = pod.spec?.nodeName;
      if (node && isActive(pod)) counts.set(node, (counts.get(node) ?? 0) + 1);
    }
  }
  return counts;
}

async function writeStatus<T extends Replicated>(
  object: T,
  { kind, context }: Work<T>,
  { pods, failure }: { readonly pods: readonly Pod[]; readonly failure: StatusInput['failure'] },
): Promise<void> {
  const { countsTerminating } = kind;
  const status = computeReplicaSetStatus({
    object,
    pods,
    now: context.clock.now(),
    countsTerminating,
    ...(failure && { failure }),
  });
  await saveStatus(context, kind.ref, { object, status });
}

/** A ready pod becomes available without an event. */
function nextLook(
  { spec }: Replicated,
  pods: readonly Pod[],
  { clock }: ControllerContext,
): { requeueAfterMs: number } | undefined {
  const minReadySeconds = spec?.minReadySeconds ?? 0;
  if (minReadySeconds === 0) return undefined;
  const now = clock.now();
  const waits = pods.filter(isActive).flatMap((pod) => availableIn(pod, minReadySeconds, now) ?? []);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
}
