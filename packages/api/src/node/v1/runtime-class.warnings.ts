import { deprecatedLabelsOf } from '../../core/v1/node-selector.warnings.js';
import type { RuntimeClass } from '../../generated/types/node-v1.js';

export function runtimeClassWarnings({ scheduling }: RuntimeClass): string[] {
  return deprecatedLabelsOf(scheduling?.nodeSelector ?? {}).map(([, advice]) => `scheduling.nodeSelector: ${advice}`);
}
