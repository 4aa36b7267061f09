import type { KindRulesTable } from '../../kind-rules.js';
import { validateClusterTrustBundle, validateClusterTrustBundleUpdate } from './cluster-trust-bundle.validation.js';
import { setPodCertificateRequestDefaults } from './pod-certificate-request.defaults.js';
import {
  validatePodCertificateRequest,
  validatePodCertificateRequestUpdate,
} from './pod-certificate-request.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  ClusterTrustBundle: {
    // The valid names depend on the signer.
    validateName: () => [],
    validate: validateClusterTrustBundle,
    validateUpdate: validateClusterTrustBundleUpdate,
  },
  PodCertificateRequest: {
    setDefaults: setPodCertificateRequestDefaults,
    validate: validatePodCertificateRequest,
    validateUpdate: validatePodCertificateRequestUpdate,
  },
};
