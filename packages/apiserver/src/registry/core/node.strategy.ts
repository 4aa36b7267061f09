import type { Node } from '@coracle/api';
import { dropFieldsOf } from '../disabled-fields.js';
import type { Strategy } from '../strategy.js';

/** A kubelet that registers its node brings the status with it, so creation keeps all that it is given. */
export const nodeStrategy: Strategy<Node> = {
  dropDisabled: dropFieldsOf({ NodeDeclaredFeatures: ['status.declaredFeatures'] }),
  prepareForCreate({ spec }) {
    // Dynamic kubelet configuration was removed.
    delete spec?.configSource;
  },
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
};
