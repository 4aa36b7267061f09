import type { ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate } from '../../generated/types/resource-v1.js';

export function setResourceClaimDefaults({ spec }: ResourceClaim): void {
  setSpecDefaults(spec);
}

export function setResourceClaimTemplateDefaults({ spec }: ResourceClaimTemplate): void {
  setSpecDefaults(spec?.spec);
}

function setSpecDefaults(spec: ResourceClaimSpec | undefined): void {
  for (const { exactly, firstAvailable } of spec?.devices?.requests ?? []) {
    for (const request of [...(exactly ? [exactly] : []), ...(firstAvailable ?? [])]) {
      request.allocationMode ||= 'ExactCount';
      if (request.allocationMode === 'ExactCount') request.count ||= 1;
      for (const toleration of request.tolerations ?? []) toleration.operator ||= 'Equal';
    }
  }
}
