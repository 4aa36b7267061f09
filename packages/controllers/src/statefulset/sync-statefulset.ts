import { type ControllerRevision, isTerminalPod, type Pod, refs, type StatefulSet } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { ControllerContext } from '../controller.js';
import type { Expectations } from '../expectations.js';
import type { FailedPodBackoff } from '../failed-pod-backoff.js';
import { claimPods, ownerSelector, type PodOwnerKind } from '../pod-owners.js';
import { availableIn } from '../pod-state.js';
import {
  deleteRevisions,
  type HistoryOwner,
  planPruning,
  revisionData,
  revisionsOf,
  templateOf,
  updateRevision,
} from '../revisions/revision-history.js';
import { saveStatus } from '../save-status.js';
import { slowStart } from '../slow-start.js';
import { revisionHash } from '../template-hash/template-hash.js';
import { makePod, ordinalOf, owner, revisionOf } from './identity.js';
import {
  adjustClaims,
  createMissingClaims,
  createNumbered,
  deleteNumbered,
  ownsClaims,
  repairNumbered,
} from './numbered-pods.js';
import { planStatefulSet, type StatefulSetPlan, type StatefulSetView } from './plan-statefulset.js';
import { computeStatefulSetStatus } from './statefulset-status.js';

const hashLabel = 'controller.kubernetes.io/hash';

export interface SetWork {
  readonly context: ControllerContext;
  readonly expectations: Expectations;
  readonly backoff: FailedPodBackoff;
}

export const statefulSetKind: PodOwnerKind<StatefulSet> = {
  ...owner,
  ref: refs.statefulSets,
  selectorOf: ({ spec }) => ownerSelector(spec?.selector),
};

export async function syncStatefulSet(key: ObjectKey, work: SetWork): Promise<{ requeueAfterMs: number } | undefined> {
  const { context, expectations } = work;
  const set = context.informers.for(refs.statefulSets).get(key);
  if (!set) return undefined;
  const isSettled = expectations.satisfied(key);
  const history = historyOwner(set, context);
  const revisions = await revisionsOf(context, history);
  const update = await updateRevision(context, history, revisions);
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update.revision;
  const view: StatefulSetView = {
    set,
    pods: await claimPods(
      set,
      { context, kind: statefulSetKind },
      { isCandidate: (pod) => ordinalOf(pod, set) !== undefined },
    ),
    currentRevision: current.metadata.name ?? '',
    updateRevision: update.revision.metadata.name ?? '',
    now: context.clock.now(),
    ownsClaims: (pod) => ownsClaims(context, { set, pod, isCondemned: false }),
  };
  const templates = new Map([current, update.revision].map((one) => [one.metadata.name ?? '', one]));
  let failure: unknown;
  let waitMs: Millis = 0;
  const deleted: Pod[] = [];
  if (isSettled && !set.metadata.deletionTimestamp) {
    const { plan, ...pace } = withPace(planStatefulSet(view), view, work);
    waitMs = pace.waitMs;
    failure = await perform({ key, work, view, templates, deleted }, plan).catch((error: unknown) => error);
  }
  const status = computeStatefulSetStatus({ ...view, deleted }, update.collisionCount ?? 0);
  await saveStatus(context, refs.statefulSets, { object: set, status });
  if (failure !== undefined) throw failure;
  await prune(view, revisions, context);
  return nextLook(view, waitMs);
}

function historyOwner(set: StatefulSet, { client }: ControllerContext): HistoryOwner {
  const { namespace, name = '' } = set.metadata;
  return {
    object: set,
    ...owner,
    selector: statefulSetKind.selectorOf(set),
    template: set.spec?.template,
    collisionCount: set.status?.collisionCount || undefined,
    hashLabel,
    hashOf: (template, collisionCount) => revisionHash(revisionData(template), collisionCount ?? 0),
    freshOwner: () => client.resource(refs.statefulSets, namespace).get(name),
  };
}

interface Performing {
  readonly key: ObjectKey;
  readonly work: SetWork;
  readonly view: StatefulSetView;
  readonly templates: ReadonlyMap<string, ControllerRevision>;
  /** Collects the deleted pods. */
  readonly deleted: Pod[];
}

async function perform({ key, work, view, templates, deleted }: Performing, plan: StatefulSetPlan): Promise<void> {
  const { context, expectations } = work;
  const { set } = view;
  for (const pod of plan.repair) await repairNumbered(context, set, pod);
  for (const pod of plan.pending) {
    await createMissingClaims(context, set, pod);
    await adjustClaims(context, { set, pod, isCondemned: false });
  }
  for (const pod of plan.condemned) await adjustClaims(context, { set, pod, isCondemned: true });
  const { create } = plan;
  expectations.expect(key, {
    creations: create.length,
    deletions: plan.delete.map(({ metadata }) => metadata.uid ?? ''),
  });
  const { error } = await slowStart(create.length, async (index) => {
    const { ordinal = 0, revision = '' } = create[index] ?? {};
    const from = templates.get(revision);
    const pod = makePod(set, { ordinal, template: from ? templateOf(from) : (set.spec?.template ?? {}), revision });
    const isMade = await createNumbered(context, set, pod).catch((failure: unknown) => {
      expectations.forget(key);
      throw failure;
    });
    if (!isMade) expectations.creationObserved(key);
  });
  if (error !== undefined) throw error;
  const results = await Promise.allSettled(plan.delete.map((pod) => deleteNumbered(context, set, pod)));
  for (const [index, pod] of plan.delete.entries()) {
    const result = results[index];
    if (result?.status === 'fulfilled' && result.value) deleted.push(pod);
    else expectations.deletionObserved(key, pod.metadata.uid ?? '');
  }
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function prune(
  { set, pods, currentRevision, updateRevision }: StatefulSetView,
  revisions: readonly ControllerRevision[],
  context: ControllerContext,
): Promise<void> {
  const live = new Set([currentRevision, updateRevision, ...pods.map(revisionOf)]);
  const isLive = ({ metadata }: ControllerRevision) => live.has(metadata.name);
  await deleteRevisions(context, planPruning(revisions, { limit: set.spec?.revisionHistoryLimit ?? 10, isLive }));
}

/** Terminated pods are deleted when they may be replaced. `waitMs`: time until the first of the others. */
function withPace(
  plan: StatefulSetPlan,
  { set }: StatefulSetView,
  { backoff }: SetWork,
): { readonly plan: StatefulSetPlan; readonly waitMs: Millis } {
  const waitOf = (pod: Pod) => (isTerminalPod(pod) ? backoff.next(`${set.metadata.uid}/${pod.metadata.name}`) : 0);
  const paced = plan.delete.map((pod) => ({ pod, waitMs: waitOf(pod) }));
  const waits = paced.flatMap(({ waitMs }) => (waitMs > 0 ? [waitMs] : []));
  const due = paced.filter(({ waitMs }) => waitMs === 0).map(({ pod }) => pod);
  return { plan: { ...plan, delete: due }, waitMs: waits.length > 0 ? Math.min(...waits) : 0 };
}

/** Ready pods become available, and backoffs end, without an event. */
function nextLook({ set, pods, now }: StatefulSetView, waitMs: Millis): { requeueAfterMs: number } | undefined {
  const waits = pods.flatMap((pod) => availableIn(pod, set.spec?.minReadySeconds ?? 0, now) ?? []);
  if (waitMs > 0) waits.push(waitMs);
  return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
}
