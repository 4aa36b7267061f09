import { setResourceListDefaults } from '../../core/v1/resource-list.defaults.js';
import type { RuntimeClass } from '../../generated/types/node-v1.js';

export function setRuntimeClassDefaults({ overhead }: RuntimeClass): void {
  setResourceListDefaults(overhead?.podFixed);
}
