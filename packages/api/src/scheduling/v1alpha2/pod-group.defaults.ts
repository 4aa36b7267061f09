import type { PodGroup } from '../../generated/types/scheduling-v1alpha2.js';

/** Dropped again while the gate WorkloadAwarePreemption is off. */
export function setPodGroupDefaults({ spec }: PodGroup): void {
  spec.disruptionMode ??= 'Pod';
}
