import { type StatefulSet, schemaOfKind } from '@coracle/api';
import { clearStatus } from '../status-field.js';
import type { Strategy } from '../strategy.js';

export const statefulSetStrategy: Strategy<StatefulSet> = {
  hasGeneration: true,

  prepareForCreate(statefulSet) {
    const schema = schemaOfKind({ group: 'apps', version: 'v1', kind: 'StatefulSet' });
    if (schema) clearStatus(statefulSet, schema);
    dropDisabledFields(statefulSet, undefined);
  },

  prepareForUpdate(statefulSet, previous) {
    if (previous.status) statefulSet.status = previous.status;
    dropDisabledFields(statefulSet, previous);
  },
};

/** Updating several pods at a time is off in this release; a set that already asks for it keeps that. */
function dropDisabledFields({ spec }: StatefulSet, previous: StatefulSet | undefined): void {
  const { rollingUpdate } = spec?.updateStrategy ?? {};
  if (rollingUpdate && previous?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) {
    delete rollingUpdate.maxUnavailable;
  }
}
