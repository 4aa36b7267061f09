import { certificateApproval } from './certificates/certificate-approval.js';
import { namespaceFinalize } from './core/namespace-finalize.js';
import { bindings, podBinding } from './core/pod-binding.js';
import { podEviction } from './core/pod-eviction.js';
import { ephemeralContainersEndpoint, resizeEndpoint } from './core/pod-subresources.js';
import { scaleHandler } from './scale.js';
import type { SubresourceTable } from './subresource.js';

/** The subresources that need only parts of the server. Others are passed to `createApiServer`. */
export const builtInSubresources: SubresourceTable = {
  '/replicationcontrollers/scale': scaleHandler({ plainSelector: true }),
  'apps/deployments/scale': scaleHandler(),
  'apps/replicasets/scale': scaleHandler(),
  'apps/statefulsets/scale': scaleHandler(),
  'certificates.k8s.io/certificatesigningrequests/approval': certificateApproval,
  '/namespaces/finalize': namespaceFinalize,
  '/bindings': bindings,
  '/pods/binding': podBinding,
  '/pods/eviction': podEviction,
  '/pods/ephemeralcontainers': { endpoint: () => ephemeralContainersEndpoint },
  '/pods/resize': { endpoint: () => resizeEndpoint },
};
