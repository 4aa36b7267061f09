import { type ControllerRevision, type DaemonSet, type Pod, refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import type { ControllerContext } from '../controller.js';
import { claimPods } from '../pod-owners.js';
import {
  deleteRevisions,
  equalRevisions,
  type HistoryOwner,
  planPruning,
  revisionLabel,
  revisionsOf,
  type UpdateRevision,
  updateRevision,
} from '../revisions/revision-history.js';
import { templateHash } from '../template-hash/template-hash.js';
import { daemonSetKind, owner } from './daemonset-kind.js';

export interface DaemonHistory extends UpdateRevision {
  /** Revisions of other templates. */
  readonly old: readonly ControllerRevision[];
}

/** Finds or creates the revision of the template. Of several with the same template the newest is kept. */
export async function readHistory(daemonSet: DaemonSet, context: ControllerContext): Promise<DaemonHistory> {
  const history = historyOwner(daemonSet, context);
  const revisions = await revisionsOf(context, history);
  const duplicates = equalRevisions(revisions, history.template).slice(0, -1);
  const revisionsToKeep = revisions.filter((revision) => !duplicates.includes(revision));
  const update = await updateRevision(context, history, revisionsToKeep);
  if (duplicates.length > 0) {
    // Relabels pods before their revision is deleted, or they would look outdated.
    await relabelPods(daemonSet, context, hashOf(update.revision));
    await deleteRevisions(context, duplicates);
  }
  return { ...update, old: revisionsToKeep.filter(({ metadata }) => metadata.name !== update.revision.metadata.name) };
}

export function hashOf({ metadata }: ControllerRevision | Pod): string {
  return metadata.labels?.[revisionLabel] ?? '';
}

/** Deletes old revisions beyond the limit. Those in use are never deleted, but count. */
export async function pruneHistory(
  { spec }: DaemonSet,
  old: readonly ControllerRevision[],
  { context, pods }: { readonly context: ControllerContext; readonly pods: readonly Pod[] },
): Promise<void> {
  const live = new Set(pods.map(hashOf));
  const isLive = (revision: ControllerRevision) => live.has(hashOf(revision));
  const limit = Math.max(0, (spec?.revisionHistoryLimit ?? 10) - old.filter(isLive).length);
  await deleteRevisions(context, planPruning(old, { limit, isLive }));
}

function historyOwner(daemonSet: DaemonSet, { client }: ControllerContext): HistoryOwner {
  const { namespace, name = '' } = daemonSet.metadata;
  return {
    object: daemonSet,
    ...owner,
    selector: daemonSetKind.selectorOf(daemonSet),
    template: daemonSet.spec?.template,
    collisionCount: daemonSet.status?.collisionCount,
    hashLabel: revisionLabel,
    hashOf: templateHash,
    freshOwner: () => client.resource(refs.daemonSets, namespace).get(name),
  };
}

async function relabelPods(daemonSet: DaemonSet, context: ControllerContext, hash: string): Promise<void> {
  const pods = await claimPods(daemonSet, { context, kind: daemonSetKind });
  const client = context.client.resource(refs.pods, daemonSet.metadata.namespace);
  const patch = { metadata: { labels: { [revisionLabel]: hash } } };
  for (const pod of pods) {
    if (hashOf(pod) === hash) continue;
    await client.patch(pod.metadata.name ?? '', patch, { type: 'merge' }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
