import type { Node } from '@coracle/api';
import type { Strategy } from '../strategy.js';

/** A kubelet that registers its node brings the status with it, so creation keeps all that it is given. */
export const nodeStrategy: Strategy<Node> = {
  prepareForCreate({ spec }) {
    // Dynamic kubelet configuration is gone.
    delete spec?.configSource;
  },
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
};
