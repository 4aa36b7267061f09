import type { Namespace } from '@coracle/api';
import type { Strategy } from '../strategy.js';

const clusterFinalizer = 'kubernetes';
const nameLabel = 'kubernetes.io/metadata.name';

/** A namespace is removed when its content is deleted, which the finalizer in its spec represents. */
export const namespaceStrategy: Strategy<Namespace> = {
  prepareForCreate(namespace) {
    namespace.status = { phase: 'Active' };
    const finalizers = namespace.spec?.finalizers ?? [];
    if (!finalizers.includes(clusterFinalizer)) namespace.spec = { finalizers: [...finalizers, clusterFinalizer] };
  },

  prepareForUpdate(namespace, previous) {
    if (previous.spec) namespace.spec = previous.spec;
    else delete namespace.spec;
    if (previous.status) namespace.status = previous.status;
    else delete namespace.status;
  },

  /** For generated names, which the defaults could not know. */
  canonicalize({ metadata }) {
    if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
  },

  holdsDeletion: ({ spec }) => (spec?.finalizers ?? []).length > 0,

  prepareForDelete(namespace) {
    namespace.status = { ...namespace.status, phase: 'Terminating' };
    // Its content decides when it is removed.
    delete namespace.metadata.deletionGracePeriodSeconds;
  },

  /** On the endpoint for finalizers the status is as fixed as on the main one; undefined for what all kinds have. */
  resetFields: (subresource) => (subresource === 'finalize' ? { 'f:status': {} } : undefined),

  selectableFields: { 'status.phase': ({ status }) => status?.phase ?? '' },
};
