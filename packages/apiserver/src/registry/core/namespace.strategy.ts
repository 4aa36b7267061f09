import type { Namespace } from '@coracle/api';
import type { Strategy } from '../strategy.js';

const clusterFinalizer = 'kubernetes';
const nameLabel = 'kubernetes.io/metadata.name';

/** A namespace goes when its content is gone: the cluster's own finalizer in its spec stands for that. */
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

  /** For names that were generated, which the defaults could not know. */
  canonicalize({ metadata }) {
    if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
  },

  holdsDeletion: ({ spec }) => (spec?.finalizers ?? []).length > 0,

  prepareForDelete(namespace) {
    namespace.status = { ...namespace.status, phase: 'Terminating' };
    // What is in it decides when it goes.
    delete namespace.metadata.deletionGracePeriodSeconds;
  },

  /** On the endpoint for finalizers the status is as fixed as on the main one; undefined for what all kinds have. */
  resetFields: (subresource) => (subresource === 'finalize' ? { 'f:status': {} } : undefined),

  selectableFields: { 'status.phase': ({ status }) => status?.phase ?? '' },
};
