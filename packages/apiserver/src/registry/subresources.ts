import { namespaceFinalize } from './core/namespace-finalize.js';
import { bindings, podBinding } from './core/pod-binding.js';
import { ephemeralContainersEndpoint, resizeEndpoint } from './core/pod-subresources.js';
import { scaleHandler } from './scale.js';
import type { SubresourceTable } from './subresource.js';

/** The subresources that need nothing but the server itself. Others are passed to `createApiServer`. */
export const builtInSubresources: SubresourceTable = {
  '/replicationcontrollers/scale': scaleHandler({ plainSelector: true }),
  'apps/deployments/scale': scaleHandler(),
  'apps/replicasets/scale': scaleHandler(),
  'apps/statefulsets/scale': scaleHandler(),
  '/namespaces/finalize': namespaceFinalize,
  '/bindings': bindings,
  '/pods/binding': podBinding,
  '/pods/ephemeralcontainers': { endpoint: () => ephemeralContainersEndpoint },
  '/pods/resize': { endpoint: () => resizeEndpoint },
};
