import { type Deployment, type ReplicaSet, refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { desiredAnnotation, maxAnnotation, revisionAnnotation } from './annotations.js';
import { currentReplicaSet, findCurrent, keepUp } from './current-replica-set.js';
import {
  computeStatus,
  deadlineIn,
  deadlineMs,
  isComplete,
  setCondition,
  withFailures,
  withProgress,
  withStart,
} from './deployment-status.js';
import { type DeploymentSync, tellScaling } from './deployment-sync.js';
import { planCleanup } from './history.js';
import { anyStillRunning, planScaleDown, planScaleUp } from './plan-recreate.js';
import { planRolling, type Scaling } from './plan-rolling.js';
import { isScalingEvent, planScaling } from './plan-scaling.js';
import { rollBack, wantedRollback } from './roll-back.js';
import { desiredReplicas, rolloutBounds, specReplicas } from './rollout-math.js';

export interface Revisions {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

type Requeue = { readonly requeueAfterMs: number } | undefined;

/** One sync of a deployment: it does one step, and the events of its writes trigger the next. */
export async function syncDeployment(sync: DeploymentSync): Promise<Requeue> {
  const { deployment, replicaSets } = sync;
  const found = findCurrent(deployment, replicaSets);
  const old = replicaSets.filter((one) => one !== found);
  const revisions = { current: found, old };
  if (deployment.metadata.deletionTimestamp) return writeStatus(sync, revisions, { rolling: false });
  const paused = deployment.spec?.paused ?? false;
  const earlier = paused ? undefined : wantedRollback(deployment);
  if (earlier !== undefined) {
    // The rollback annotation counts earlier revisions, even if the current template was not rolled out.
    const current = await currentReplicaSet(sync, old);
    if (current) await rollBack(sync, [...old, current.replicaSet], earlier);
    return undefined;
  }
  if (paused || isScalingEvent({ deployment, ...revisions })) {
    const current = found && (await keepUp(sync, found, old));
    await scaleAll(sync, planScaling({ deployment, current, old }));
    if (paused && wantedRollback(deployment) === undefined) await cleanUp(sync, old);
    return writeStatus(sync, { current, old }, { rolling: false });
  }
  return deployment.spec?.strategy?.type === 'Recreate' ? recreate(sync, revisions) : roll(sync, revisions);
}

async function roll(sync: DeploymentSync, { old }: Revisions): Promise<Requeue> {
  const { deployment } = sync;
  const found = await currentReplicaSet(sync, old);
  if (!found) return undefined;
  const current = found.replicaSet;
  const steps = planRolling({ deployment, current, old });
  await scaleAll(sync, steps);
  if (steps.length === 0) await cleanUpWhenComplete(sync, old);
  return writeStatus(sync, { current, old }, { rolling: true, isNew: found.isNew });
}

async function recreate(sync: DeploymentSync, revisions: Revisions): Promise<Requeue> {
  const { deployment, podsOf } = sync;
  const down = planScaleDown(revisions.old);
  await scaleAll(sync, down);
  if (down.length > 0 || anyStillRunning(revisions.old.flatMap(podsOf)))
    return writeStatus(sync, revisions, { rolling: true });
  const found = await currentReplicaSet(sync, revisions.old);
  if (!found) return undefined;
  const current = found.replicaSet;
  const up = planScaleUp({ deployment, current });
  await scaleAll(sync, up);
  if (up.length === 0) await cleanUpWhenComplete(sync, revisions.old);
  return writeStatus(sync, { current, old: revisions.old }, { rolling: true, isNew: found.isNew });
}

async function cleanUpWhenComplete(sync: DeploymentSync, old: readonly ReplicaSet[]): Promise<void> {
  if (isComplete(sync.deployment, sync.deployment.status ?? {})) await cleanUp(sync, old);
}

async function scaleAll(sync: DeploymentSync, steps: readonly Scaling[]): Promise<void> {
  const scaled = new Map<ReplicaSet, ReplicaSet>();
  for (const { replicaSet, to } of steps) {
    const latest = scaled.get(replicaSet) ?? replicaSet;
    scaled.set(replicaSet, await scale(sync, { replicaSet: latest, to }));
  }
}

/** Returns the replica set as it is stored now. */
async function scale({ deployment, context }: DeploymentSync, { replicaSet, to }: Scaling): Promise<ReplicaSet> {
  const from = specReplicas(replicaSet);
  const desired = desiredReplicas(deployment);
  const annotations = {
    ...replicaSet.metadata.annotations,
    [desiredAnnotation]: String(desired),
    [maxAnnotation]: String(desired + rolloutBounds(deployment).maxSurge),
  };
  const { namespace, name } = replicaSet.metadata;
  const changed = {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    spec: { ...replicaSet.spec, replicas: to },
  } as ReplicaSet;
  const written = await context.client.resource(refs.replicaSets, namespace).update(changed);
  if (from !== to) tellScaling(deployment, context, { name: name ?? '', from, to });
  return written;
}

async function cleanUp({ deployment, context }: DeploymentSync, old: readonly ReplicaSet[]): Promise<void> {
  for (const { metadata } of planCleanup(deployment, old)) {
    await context.client
      .resource(refs.replicaSets, metadata.namespace)
      .delete(metadata.name ?? '')
      .catch(unlessGone);
  }
}

/** Writes counts, conditions and the revision, if any of them has changed. Progress and failures are evaluated only during a rollout. */
async function writeStatus(
  { deployment, context }: DeploymentSync,
  { current, old }: Revisions,
  { rolling, isNew = false }: { readonly rolling: boolean; readonly isNew?: boolean },
): Promise<Requeue> {
  const { clock, client } = context;
  const now = clock.now();
  const all = current ? [...old, current] : [...old];
  // Pauses are recorded before anything is counted, because that determines the order of conditions.
  const noted = { ...deployment, status: withPause(deployment, deployment.status ?? {}, now) };
  const view = { deployment: noted, current, all, now };
  const counted = computeStatus(view);
  const status = rolling
    ? withFailures(withProgress(view, withStart(view, counted, { isNew })), all, current)
    : counted;
  const revision = current?.metadata.annotations?.[revisionAnnotation];
  const annotations =
    revision === undefined
      ? deployment.metadata.annotations
      : { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
  const same = deepEqual(status, deployment.status ?? {}) && deepEqual(annotations, deployment.metadata.annotations);
  if (!same) {
    const changed = {
      ...deployment,
      metadata: { ...deployment.metadata, ...(annotations && { annotations }) },
      status,
    };
    await client.resource(refs.deployments, deployment.metadata.namespace).updateStatus(changed).catch(unlessGone);
  }
  const waitMs = rolling ? deadlineIn(deployment, status, now) : undefined;
  return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
}

/** A replica set that was deleted meanwhile needs no change. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** A pause stops the progress deadline, and its end restarts it. */
function withPause(
  deployment: Deployment,
  status: NonNullable<Deployment['status']>,
  now: number,
): NonNullable<Deployment['status']> {
  if (deadlineMs(deployment) === undefined) return status;
  const conditions = status.conditions ?? [];
  const progressing = conditions.find(({ type }) => type === 'Progressing');
  const paused = deployment.spec?.paused ?? false;
  const noted = progressing?.reason === 'DeploymentPaused';
  if (progressing?.reason === 'ProgressDeadlineExceeded' || paused === noted) return status;
  const condition = paused
    ? { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { type: 'Progressing', status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  return { ...status, conditions: setCondition(conditions, condition, now) };
}
