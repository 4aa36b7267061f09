import type { Deployment, PodTemplateSpec, ReplicaSet } from '@coracle/api';
import { deepEqual } from '@coracle/base';

export const hashLabel = 'pod-template-hash';

/**
 * Whether a replica set makes the pods that the deployment requests; the label that tells revisions apart does not
 * count.
 */
export function sameTemplate(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  return deepEqual(withoutHash(deployment.spec?.template), withoutHash(replicaSet.spec?.template));
}

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [hashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}
