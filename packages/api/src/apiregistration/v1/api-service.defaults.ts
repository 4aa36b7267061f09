import type { APIService } from '../../generated/types/apiregistration-v1.js';

export function setApiServiceDefaults({ spec }: APIService): void {
  if (spec?.service) spec.service.port ??= 443;
}
