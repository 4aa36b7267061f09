import type { Deployment, PodTemplateSpec, ReplicaSet } from '@coracle/api';
import { deepEqual } from '@coracle/base';

export const hashLabel = 'pod-template-hash';

/** Whether a replica set has the template of the deployment; the label `pod-template-hash` is ignored. */
export function sameTemplate(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  return deepEqual(withoutHash(deployment.spec?.template), withoutHash(replicaSet.spec?.template));
}

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [hashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}
