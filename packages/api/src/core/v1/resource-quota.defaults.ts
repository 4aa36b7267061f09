import type { ResourceQuota } from '../../generated/types/core-v1.js';
import { setResourceListDefaults } from './resource-list.defaults.js';

export function setResourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  setResourceListDefaults(spec?.hard);
  setResourceListDefaults(status?.hard);
  setResourceListDefaults(status?.used);
}
