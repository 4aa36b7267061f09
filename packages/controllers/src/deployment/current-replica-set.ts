import { type Deployment, type ReplicaSet, refs } from '@coracle/api';
import { isAlreadyExists, isControlledBy, isNotFound } from '@coracle/apimachinery';
import { deepCopy, deepEqual, messageOf } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import { controllerReferenceTo } from '../owner-claims.js';
import { templateHash } from '../template-hash/template-hash.js';
import { desiredAnnotation, maxAnnotation, newReplicaSetAnnotations, revisionOf } from './annotations.js';
import { deadlineMs, setCondition } from './deployment-status.js';
import { type DeploymentSync, tellScaling } from './deployment-sync.js';
import { currentReplicas } from './plan-rolling.js';
import { byAge, desiredReplicas, rolloutBounds } from './rollout-math.js';
import { hashLabel, sameTemplate } from './same-template.js';

/** The replica set of the current template: the oldest, if there are several. */
export function findCurrent(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...replicaSets].sort(byAge).find((replicaSet) => sameTemplate(deployment, replicaSet));
}

export interface Current {
  readonly replicaSet: ReplicaSet;
  /** Whether it was created in this pass: a rollout begins. */
  readonly isNew: boolean;
}

/**
 * The same, created if it does not exist, with its revision above all others. `undefined` if it cannot be created now.
 */
export async function currentReplicaSet(
  sync: DeploymentSync,
  old: readonly ReplicaSet[],
): Promise<Current | undefined> {
  const existing = findCurrent(sync.deployment, sync.replicaSets);
  if (!existing) return create(sync, old, nextRevision(old));
  return { replicaSet: await keepUp(sync, existing, old), isNew: false };
}

function nextRevision(old: readonly ReplicaSet[]): bigint {
  const newest = old.map(revisionOf).reduce((most, revision) => (revision > most ? revision : most), 0n);
  return BigInt.asIntN(64, newest + 1n);
}

/**
 * Updates the fields that the replica set takes from its deployment: the revision, annotations, and minReadySeconds.
 */
export async function keepUp(
  { deployment, context }: DeploymentSync,
  existing: ReplicaSet,
  old: readonly ReplicaSet[],
): Promise<ReplicaSet> {
  const annotations = newReplicaSetAnnotations(deployment, existing, nextRevision(old));
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  if (
    deepEqual(annotations, existing.metadata.annotations ?? {}) &&
    (existing.spec?.minReadySeconds ?? 0) === minReadySeconds
  )
    return existing;
  const changed = {
    ...existing,
    metadata: { ...existing.metadata, annotations },
    spec: { ...existing.spec, minReadySeconds },
  } as ReplicaSet;
  return context.client.resource(refs.replicaSets, existing.metadata.namespace).update(changed);
}

async function create(
  sync: DeploymentSync,
  old: readonly ReplicaSet[],
  revision: bigint,
): Promise<Current | undefined> {
  const { deployment, context } = sync;
  const newReplicaSet = makeReplicaSet(deployment, old, revision);
  const replicaSets = context.client.resource(refs.replicaSets, deployment.metadata.namespace);
  try {
    const created = await replicaSets.create(newReplicaSet);
    const to = created.spec?.replicas ?? 0;
    if (to > 0) tellScaling(deployment, context, { name: created.metadata.name ?? '', from: 0, to });
    return { replicaSet: created, isNew: true };
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    if (isAlreadyExists(error)) return afterCollision(sync, newReplicaSet);
    const name = JSON.stringify(newReplicaSet.metadata.name);
    await reportFailure(sync, `Failed to create new replica set ${name}: ${messageOf(error)}`);
    throw error;
  }
}

function makeReplicaSet(deployment: Deployment, old: readonly ReplicaSet[], revision: bigint): ReplicaSet {
  const template = deepCopy(deployment.spec?.template) ?? {};
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const { name = '', namespace = '' } = deployment.metadata;
  const desired = desiredReplicas(deployment);
  const selector = deployment.spec?.selector ?? {};
  const minReadySeconds = deployment.spec?.minReadySeconds;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: {
        ...newReplicaSetAnnotations(deployment, undefined, revision),
        [desiredAnnotation]: String(desired),
        [maxAnnotation]: String(desired + rolloutBounds(deployment).maxSurge),
      },
      ownerReferences: [controllerReferenceTo(deployment, { apiVersion: 'apps/v1', kind: 'Deployment' })],
    },
    spec: {
      replicas: currentReplicas(deployment, undefined, old),
      ...(minReadySeconds && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/**
 * The name is in use. If by a replica set of this template that the cache does not have yet, that one is used;
 * otherwise the hash must change.
 */
async function afterCollision(
  { deployment, context }: DeploymentSync,
  newReplicaSet: ReplicaSet,
): Promise<Current | undefined> {
  const { namespace } = deployment.metadata;
  const taken = await context.client.resource(refs.replicaSets, namespace).get(newReplicaSet.metadata.name ?? '');
  if (isControlledBy(taken, deployment) && sameTemplate(deployment, taken)) return { replicaSet: taken, isNew: false };
  const fresh = await context.client.resource(refs.deployments, namespace).get(deployment.metadata.name ?? '');
  const collisionCount = (fresh.status?.collisionCount ?? 0) + 1;
  await context.client
    .resource(refs.deployments, namespace)
    .updateStatus({ ...fresh, status: { ...fresh.status, collisionCount } });
  return undefined;
}

async function reportFailure({ deployment, context }: DeploymentSync, message: string): Promise<void> {
  const reason = 'ReplicaSetCreateError';
  context.recorder.event({ ...deployment, apiVersion: 'apps/v1', kind: 'Deployment' }, 'Warning', reason, message);
  if (deadlineMs(deployment) === undefined) return;
  const condition = { type: 'Progressing', status: 'False', reason, message };
  const conditions = setCondition(deployment.status?.conditions ?? [], condition, context.clock.now());
  await context.client
    .resource(refs.deployments, deployment.metadata.namespace)
    .updateStatus({ ...deployment, status: { ...deployment.status, conditions } })
    .catch((error) => {
      if (!isNotFound(error)) throw error;
    });
}
