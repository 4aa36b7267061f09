import type { Namespace } from '@coracle/api';
import type { Strategy } from '../strategy.js';

const clusterFinalizer = 'kubernetes';
const nameLabel = 'kubernetes.io/metadata.name';

/** A namespace is removed once its content is deleted, which the finalizer in its spec represents. */
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

  /** Set here for generated names, which do not exist yet when defaults are set. */
  canonicalize({ metadata }) {
    if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
  },

  holdsDeletion: ({ spec }) => (spec?.finalizers ?? []).length > 0,

  prepareForDelete(namespace) {
    namespace.status = { ...namespace.status, phase: 'Terminating' };
    // Deletion waits for the namespace controller.
    delete namespace.metadata.deletionGracePeriodSeconds;
  },

  /** The finalize subresource does not change the status either. `undefined` for the fields of all kinds. */
  resetFields: (subresource) => (subresource === 'finalize' ? { 'f:status': {} } : undefined),

  selectableFields: { 'status.phase': ({ status }) => status?.phase ?? '' },
};
