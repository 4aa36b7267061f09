import { setPersistentVolumeClaimDefaults } from '../../core/v1/persistent-volume.defaults.js';
import { setPodTemplateSpecDefaults } from '../../core/v1/pod-spec.defaults.js';
import type { StatefulSet, StatefulSetSpec } from '../../generated/types/apps-v1.js';

export function setStatefulSetDefaults(statefulSet: StatefulSet): void {
  const spec = (statefulSet.spec ??= {} as StatefulSetSpec);
  spec.podManagementPolicy ||= 'OrderedReady';
  setUpdateStrategyDefaults(spec);
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= 'Retain';
  retention.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateSpecDefaults((spec.template ??= {}));
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    setPersistentVolumeClaimDefaults(claim);
  }
}

/** A strategy that is given without numbers stays without them; only where there is none are they filled in. */
function setUpdateStrategyDefaults(spec: StatefulSetSpec): void {
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
}
