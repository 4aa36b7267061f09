import type { IngressClass } from '../../generated/types/networking-v1.js';

export function setIngressClassDefaults({ spec }: IngressClass): void {
  if (spec?.parameters) spec.parameters.scope ??= 'Cluster';
}
