import { setPodTemplateSpecDefaults } from '../../core/v1/pod-spec.defaults.js';
import type { DaemonSet, DaemonSetSpec } from '../../generated/types/apps-v1.js';

/** Counts the changes of the template. The field was removed from the API; only this annotation remains. */
export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

export function setDaemonSetDefaults(daemonSet: DaemonSet): void {
  const spec = (daemonSet.spec ??= {} as DaemonSetSpec);
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= 1;
    rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateSpecDefaults((spec.template ??= {}));
  const annotations = (daemonSet.metadata.annotations ??= {});
  annotations[templateGenerationAnnotation] ??= '0';
}
