import type { apiextensionsv1 } from '@coracle/api';
import { hasFinalizer } from '@coracle/apimachinery';
import { dropFieldsOf } from '../disabled-fields.js';
import type { Strategy } from '../strategy.js';
import { keepAllButStatus } from '../update-object.js';
import { cleanupFinalizer, hasCrdCondition, terminating } from './crd-status.js';

type CustomResourceDefinition = apiextensionsv1.CustomResourceDefinition;

/** Adds each version that objects may have been stored in to the status. Controllers write the rest of the status. */
export const customResourceDefinitionStrategy: Strategy<CustomResourceDefinition> = {
  hasGeneration: true,
  dropDisabled: dropFieldsOf({
    CRDObservedGenerationTracking: ['status.observedGeneration', 'status.conditions.observedGeneration'],
  }),
  allowUnconditionalUpdate: false,

  prepareForCreate(crd) {
    const stored = storageVersions(crd);
    // Empty lists are serialized as `null`, which their types do not include.
    const status = {
      acceptedNames: { kind: '', plural: '' },
      storedVersions: stored.length > 0 ? stored : null,
      conditions: null,
    };
    Object.assign(crd, { status });
  },

  prepareForUpdate(crd, previous) {
    const { storedVersions, ...status } = previous.status ?? {};
    const stored = storedVersions ?? [];
    const added = storageVersions(crd).filter((version) => !stored.includes(version));
    crd.status = { ...status, storedVersions: [...stored, ...added] };
  },

  // Validation ensures that there is exactly one stored version.
  prepareForStatusUpdate(crd, previous) {
    keepAllButStatus(crd, previous);
    if ((crd.status?.storedVersions ?? []).length > 0) return;
    crd.status = { ...crd.status, storedVersions: storageVersions(crd) };
  },

  // Labels and annotations that are sent there are stored, but no field manager owns them, as in upstream.
  resetFields: (subresource) => (subresource === 'status' ? { 'f:metadata': {}, 'f:spec': {} } : undefined),

  // A CRD marked for deletion has the finalizer, which remains as long as there are objects.
  holdsDeletion: (crd) => crd.metadata.deletionTimestamp === undefined && hasCrdCondition(crd, 'Established'),

  prepareForDelete(crd, { clock }) {
    if (!hasCrdCondition(crd, 'Established') || hasFinalizer(crd, cleanupFinalizer)) return;
    crd.metadata.finalizers = [...(crd.metadata.finalizers ?? []), cleanupFinalizer];
    crd.status = { ...crd.status, conditions: terminating(crd.status?.conditions, clock.now()) };
  },
};

function storageVersions({ spec }: CustomResourceDefinition): string[] {
  return (spec.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
}
