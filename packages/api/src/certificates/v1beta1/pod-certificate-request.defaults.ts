import type { PodCertificateRequest } from '../../generated/types/certificates-v1beta1.js';

export function setPodCertificateRequestDefaults({ spec }: PodCertificateRequest): void {
  if (spec) spec.maxExpirationSeconds ??= 86_400;
}
