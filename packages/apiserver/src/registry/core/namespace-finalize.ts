import { type Namespace, validateNamespaceFinalize } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { SubresourceHandler } from '../subresource.js';
import type { UpdateEndpoint } from '../update-object.js';

/** Changes only `spec.finalizers`. A terminating namespace without finalizers is removed. */
const endpoint: UpdateEndpoint<Namespace> = {
  prepare(namespace, previous) {
    const finalizers = namespace.spec?.finalizers;
    namespace.spec = finalizers ? { finalizers } : {};
    if (previous.status) namespace.status = previous.status;
    else delete namespace.status;
  },
  validate: validateNamespaceFinalize,
};

/** `namespaces/x/finalize`, by which the namespace controller reports that the content is deleted. */
export const namespaceFinalize: SubresourceHandler = {
  endpoint: () => endpoint as UpdateEndpoint<KubeObject>,
};
