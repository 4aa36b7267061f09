import type { Node } from '@coracle/api';
import { dropFieldsOf } from '../disabled-fields.js';
import type { Strategy } from '../strategy.js';

/** A kubelet registers its node with a status, so a create keeps the status. */
export const nodeStrategy: Strategy<Node> = {
  dropDisabled: dropFieldsOf({ NodeDeclaredFeatures: ['status.declaredFeatures'] }),
  prepareForCreate({ spec }) {
    // Dynamic kubelet configuration was removed.
    delete spec?.configSource;
  },
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
};
