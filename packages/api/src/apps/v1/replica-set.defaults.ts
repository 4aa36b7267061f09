import { setPodTemplateSpecDefaults } from '../../core/v1/pod-spec.defaults.js';
import type { ReplicaSet, ReplicaSetSpec } from '../../generated/types/apps-v1.js';

export function setReplicaSetDefaults(replicaSet: ReplicaSet): void {
  const spec = (replicaSet.spec ??= {} as ReplicaSetSpec);
  spec.replicas ??= 1;
  setPodTemplateSpecDefaults((spec.template ??= {}));
}
