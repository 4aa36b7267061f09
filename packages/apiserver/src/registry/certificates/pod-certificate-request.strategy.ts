import { type certificatesv1beta1, validatePodCertificateRequestStatus } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import type { Strategy } from '../strategy.js';

type PodCertificateRequest = certificatesv1beta1.PodCertificateRequest;

/** The spec is immutable, and a signer decides once. */
export const podCertificateRequestStrategy: Strategy<PodCertificateRequest> = {
  prepareForCreate(request) {
    request.status = {};
  },

  prepareForUpdate(request, previous) {
    request.status = previous.status ?? {};
  },

  prepareForStatusUpdate(request, previous, { clock }) {
    request.spec = previous.spec;
    const before = previous.status?.conditions ?? [];
    for (const condition of request.status?.conditions ?? []) {
      const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
      condition.lastTransitionTime ||= same?.lastTransitionTime ?? formatTime(clock.now());
    }
  },

  validateStatusUpdate: (request, previous, { clock }) =>
    validatePodCertificateRequestStatus(request, previous, clock.now()),

  allowUnconditionalUpdate: false,

  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.signerName': ({ spec }) => spec.signerName ?? '',
    'spec.podName': ({ spec }) => spec.podName ?? '',
  },
};
