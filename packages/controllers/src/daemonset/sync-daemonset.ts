import { type DaemonSet, type PodTemplateSpec, refs } from '@coracle/api';
import { LabelSelector, type ObjectKey } from '@coracle/apimachinery';
import { isNamespaceTerminating } from '../active-namespace.js';
import type { ControllerContext } from '../controller.js';
import type { Expectations } from '../expectations.js';
import type { FailedPodBackoff } from '../failed-pod-backoff.js';
import { createPod, deletePod, type PodOwner } from '../pod-control.js';
import { claimPods } from '../pod-owners.js';
import { availableIn } from '../pod-state.js';
import { revisionLabel } from '../revisions/revision-history.js';
import { saveStatus } from '../save-status.js';
import { slowStart } from '../slow-start.js';
import { hashOf, pruneHistory, readHistory } from './daemon-history.js';
import { type DaemonView, generationLabel, generationOf, viewDaemon } from './daemon-nodes.js';
import { daemonSetKind, owner } from './daemonset-kind.js';
import { computeDaemonSetStatus } from './daemonset-status.js';
import { pinnedToNode, tolerationsFor } from './node-fit.js';
import { planDaemonUpdate, type UpdatePlan } from './plan-daemon-update.js';
import { type EndedPod, planDaemonSet } from './plan-daemonset.js';

/** Maximum number of pods that are created or deleted in one pass. */
const burst = 250;

export interface DaemonWork {
  readonly context: ControllerContext;
  readonly expectations: Expectations;
  readonly backoff: FailedPodBackoff;
}

export async function syncDaemonSet(key: ObjectKey, work: DaemonWork): Promise<{ requeueAfterMs: number } | undefined> {
  const { context, expectations } = work;
  const daemonSet = context.informers.for(refs.daemonSets).get(key);
  if (!daemonSet) return undefined;
  const podOwner: PodOwner = { object: daemonSet, ...owner };
  if (LabelSelector.fromObject(daemonSet.spec?.selector).isEmpty) {
    const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
    context.recorder.event({ ...daemonSet, ...owner }, 'Warning', 'SelectingAll', message);
    return undefined;
  }
  if (daemonSet.metadata.deletionTimestamp) return undefined;
  const { revision, collisionCount, old } = await readHistory(daemonSet, context);
  const hash = hashOf(revision);
  const mayAct = expectations.satisfied(key);
  const view = await lookAt(daemonSet, context, hash);
  const acting: Acting = { key, work, view, podOwner };
  const { retryMs, failure } = mayAct ? await act(acting) : {};
  // A failed write, for example because of a quota, does not prevent the status update.
  const status = computeDaemonSetStatus(view, collisionCount);
  await saveStatus(context, refs.daemonSets, { object: daemonSet, status });
  if (failure !== undefined) throw failure;
  const pods = view.nodes.flatMap((node) => node.pods);
  await pruneHistory(daemonSet, old, { context, pods });
  return nextLook(view, retryMs);
}

async function lookAt(daemonSet: DaemonSet, context: ControllerContext, hash: string): Promise<DaemonView> {
  const pods = await claimPods(daemonSet, { context, kind: daemonSetKind });
  const nodes = context.informers.for(refs.nodes).list();
  return viewDaemon({ daemonSet, nodes, pods, hash, now: context.clock.now() });
}

interface Acting {
  readonly key: ObjectKey;
  readonly work: DaemonWork;
  readonly view: DaemonView;
  readonly podOwner: PodOwner;
}

interface Outcome {
  /** When the first failed pod in backoff may be replaced. */
  readonly retryMs?: number | undefined;
  readonly failure?: unknown;
}

/** First the right number on each node; if that is correct, the next step of an update. */
async function act(acting: Acting): Promise<Outcome> {
  const { view, work, key } = acting;
  const plan = planDaemonSet(view);
  const failed = plan.failed.map((ended) => ({ ended, waitMs: backoffOf(ended, acting) }));
  const due = failed.filter(({ waitMs }) => waitMs === 0).map(({ ended }) => ended);
  for (const ended of due) tellEnded(acting, ended);
  for (const ended of plan.succeeded) tellEnded(acting, ended);
  const ended = [...due, ...plan.succeeded].map(({ pod }) => pod);
  const correction: UpdatePlan = { create: plan.create, delete: [...plan.delete, ...ended] };
  const failure = await perform(acting, correction);
  if (failure !== undefined) return { failure };
  const waits = failed.flatMap(({ waitMs }) => (waitMs > 0 ? [waitMs] : []));
  return {
    retryMs: waits.length > 0 ? Math.min(...waits) : undefined,
    failure: work.expectations.satisfied(key) ? await performUpdate(acting, correction) : undefined,
  };
}

/** After a correction the pods are read again: a pod that was just deleted must not be counted in the update. */
async function performUpdate(acting: Acting, correction: UpdatePlan): Promise<unknown> {
  const { daemonSet, hash } = acting.view;
  const isSame = correction.create.length + correction.delete.length === 0;
  const view = isSame ? acting.view : await lookAt(daemonSet, acting.work.context, hash);
  return perform({ ...acting, view }, planDaemonUpdate(view));
}

function backoffOf({ node }: EndedPod, { work, view }: Acting): number {
  const { uid, generation } = view.daemonSet.metadata;
  return work.backoff.next(`${uid}/${generation}/${node}`);
}

function tellEnded({ work, view }: Acting, { pod, node }: EndedPod): void {
  const { namespace, name } = pod.metadata;
  const subject = { ...view.daemonSet, ...owner };
  const { recorder } = work.context;
  if (pod.status?.phase === 'Failed') {
    const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`;
    recorder.event(subject, 'Warning', 'FailedDaemonPod', message);
  } else {
    const message = `Found succeeded daemon pod ${namespace}/${name} on node ${node}, will try to delete it`;
    recorder.event(subject, 'Normal', 'SucceededDaemonPod', message);
  }
}

/** Returns the first error, if there was one. */
async function perform({ key, work, view, podOwner }: Acting, plan: UpdatePlan): Promise<unknown> {
  const { context, expectations } = work;
  const nodes = plan.create.slice(0, burst);
  const pods = plan.delete.slice(0, burst);
  if (nodes.length + pods.length === 0) return undefined;
  expectations.expect(key, { creations: nodes.length, deletions: pods.map(({ metadata }) => metadata.uid ?? '') });
  const { done, error } = await slowStart(nodes.length, async (index) => {
    await createPod(context, podOwner, daemonTemplate(view, nodes[index] ?? ''));
  });
  // A pod whose creation failed will not be observed.
  expectations.creationObserved(key, nodes.length - done);
  const results = await Promise.allSettled(pods.map((pod) => deletePod(context, podOwner, pod)));
  results.forEach(({ status }, index) => {
    if (status === 'rejected') expectations.deletionObserved(key, pods[index]?.metadata.uid ?? '');
  });
  const failure = error ?? results.find((result) => result.status === 'rejected')?.reason;
  return isNamespaceTerminating(failure) ? undefined : failure;
}

function daemonTemplate({ daemonSet, hash }: DaemonView, nodeName: string): PodTemplateSpec {
  const { template } = daemonSet.spec ?? {};
  const generation = generationOf(daemonSet);
  const labels = {
    ...template?.metadata?.labels,
    ...(generation && { [generationLabel]: generation }),
    [revisionLabel]: hash,
  };
  return {
    ...template,
    metadata: { ...template?.metadata, labels },
    spec: { ...pinnedToNode(template?.spec, nodeName), tolerations: tolerationsFor(template?.spec) },
  };
}

/** Pods become available, and backoffs end, without an event. */
function nextLook(
  { daemonSet, nodes, now }: DaemonView,
  retryMs: number | undefined,
): { requeueAfterMs: number } | undefined {
  const waits = nodes.flatMap(({ pods }) =>
    pods.flatMap((pod) => availableIn(pod, daemonSet.spec?.minReadySeconds ?? 0, now) ?? []),
  );
  if (retryMs !== undefined) waits.push(retryMs);
  return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
}
