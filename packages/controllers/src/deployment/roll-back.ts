import { type Deployment, type ReplicaSet, refs } from '@coracle/api';
import { deepCopy } from '@coracle/base';
import { compareRevisions, ownAnnotations, parseRevision, revisionOf, rollbackAnnotation } from './annotations.js';
import type { DeploymentSync } from './deployment-sync.js';
import { hashLabel, sameTemplate } from './same-template.js';

/** The revision that an old client requests by annotation, 0 for the one before; `undefined` if none is. */
export function wantedRollback({ metadata }: Deployment): bigint | undefined {
  const text = metadata.annotations?.[rollbackAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? parseRevision(text) : undefined;
}

/** Copies the template of an earlier revision, and removes the rollback request, also if it fails. */
export async function rollBack(
  { deployment, context }: DeploymentSync,
  replicaSets: readonly ReplicaSet[],
  targetRevision: bigint,
): Promise<void> {
  const revision = targetRevision === 0n ? lastButOne(replicaSets) : targetRevision;
  const target = replicaSets.find((one) => revision !== 0n && revisionOf(one) === revision);
  const isSame = target !== undefined && sameTemplate(deployment, target);
  const { [rollbackAnnotation]: _wish, ...annotations } = deployment.metadata.annotations ?? {};
  const cleared: Deployment = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  await context.client
    .resource(refs.deployments, deployment.metadata.namespace)
    .update(target && !isSame ? withTemplateOf(cleared, target) : cleared);
  const subject = { ...deployment, apiVersion: 'apps/v1', kind: 'Deployment' };
  context.recorder.event(
    subject,
    ...outcome(deployment, { targetRevision, revision, found: target !== undefined, isSame }),
  );
}

interface Outcome {
  readonly targetRevision: bigint;
  readonly revision: bigint;
  readonly found: boolean;
  readonly isSame: boolean;
}

function outcome(
  { metadata }: Deployment,
  { targetRevision, revision, found, isSame }: Outcome,
): ['Normal' | 'Warning', string, string] {
  const name = JSON.stringify(metadata.name);
  if (!found) {
    const what =
      targetRevision === 0n ? 'Unable to find last revision.' : 'Unable to find the revision to rollback to.';
    return ['Warning', 'DeploymentRollbackRevisionNotFound', what];
  }
  if (isSame) {
    const what = `The rollback revision contains the same template as current deployment ${name}`;
    return ['Warning', 'DeploymentRollbackTemplateUnchanged', what];
  }
  return ['Normal', 'DeploymentRollback', `Rolled back deployment ${name} to revision ${revision}`];
}

/** 0 if it does not exist. */
function lastButOne(replicaSets: readonly ReplicaSet[]): bigint {
  const former = [...replicaSets].sort(compareRevisions).at(-2);
  return former ? revisionOf(former) : 0n;
}

/** Annotations that the replica set got from the deployment are restored with its template. */
function withTemplateOf(deployment: Deployment, { metadata, spec }: ReplicaSet): Deployment {
  const template = deepCopy(spec?.template) ?? {};
  if (template.metadata?.labels) delete template.metadata.labels[hashLabel];
  const pick = (annotations: Record<string, string> | undefined, isOwn: boolean) =>
    Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => ownAnnotations.has(name) === isOwn));
  const annotations = { ...pick(deployment.metadata.annotations, true), ...pick(metadata.annotations, false) };
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations },
    spec: { ...deployment.spec, template },
  } as Deployment;
}
