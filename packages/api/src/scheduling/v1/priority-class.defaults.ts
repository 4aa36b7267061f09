import type { PriorityClass } from '../../generated/types/scheduling-v1.js';

export function setPriorityClassDefaults(priorityClass: PriorityClass): void {
  priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
}
