import type { apiextensionsv1 } from '@coracle/api';
import { hasFinalizer } from '@coracle/apimachinery';
import { dropFieldsOf } from '../disabled-fields.js';
import type { Strategy } from '../strategy.js';
import { keepAllButStatus } from '../update-object.js';
import { cleanupFinalizer, hasDefinitionCondition, terminating } from './crd-status.js';

type CustomResourceDefinition = apiextensionsv1.CustomResourceDefinition;

/** Remembers every version that objects may have been stored in. The rest of the status is the controllers'. */
export const customResourceDefinitionStrategy: Strategy<CustomResourceDefinition> = {
  hasGeneration: true,
  dropDisabled: dropFieldsOf({
    CRDObservedGenerationTracking: ['status.observedGeneration', 'status.conditions.observedGeneration'],
  }),
  allowUnconditionalUpdate: false,

  prepareForCreate(definition) {
    const stored = storageVersions(definition);
    definition.status = {
      acceptedNames: { kind: '', plural: '' },
      storedVersions: stored.length > 0 ? stored : nothing,
      conditions: nothing,
    };
  },

  prepareForUpdate(definition, previous) {
    const { storedVersions, ...status } = previous.status ?? {};
    const stored = storedVersions ?? [];
    const added = storageVersions(definition).filter((version) => !stored.includes(version));
    definition.status = { ...status, storedVersions: [...stored, ...added] };
  },

  // There is always one version that objects are stored in.
  prepareForStatusUpdate(definition, previous) {
    keepAllButStatus(definition, previous);
    if ((definition.status?.storedVersions ?? []).length > 0) return;
    definition.status = { ...definition.status, storedVersions: storageVersions(definition) };
  },

  // Once marked it has the finalizer, which holds it as long as there are objects.
  holdsDeletion: (definition) =>
    definition.metadata.deletionTimestamp === undefined && hasDefinitionCondition(definition, 'Established'),

  prepareForDelete(definition, { clock }) {
    if (!hasDefinitionCondition(definition, 'Established') || hasFinalizer(definition, cleanupFinalizer)) return;
    definition.metadata.finalizers = [...(definition.metadata.finalizers ?? []), cleanupFinalizer];
    definition.status = { ...definition.status, conditions: terminating(definition.status?.conditions, clock.now()) };
  },
};

/** These lists are on the wire even when there is nothing in them, as `null`, for which their type has no word. */
const nothing = null as unknown as [];

function storageVersions({ spec }: CustomResourceDefinition): string[] {
  return (spec.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
}
