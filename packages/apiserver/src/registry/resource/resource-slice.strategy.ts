import type { resourcev1 } from '@coracle/api';
import type { Strategy, StrategyContext } from '../strategy.js';
import { stampTaint } from './device-taints.js';
import { dropDisabledSliceFields } from './disabled-device-fields.js';

/** Kubelets watch the slices of their own node. */
export const resourceSliceStrategy: Strategy<resourcev1.ResourceSlice> = {
  hasGeneration: true,
  dropDisabled: dropDisabledSliceFields,
  prepareForCreate: stampTaints,
  prepareForUpdate: (slice, _previous, context) => stampTaints(slice, context),
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
    'spec.driver': ({ spec }) => spec?.driver ?? '',
  },
};

function stampTaints({ spec }: resourcev1.ResourceSlice, context: StrategyContext): void {
  for (const { taints } of spec?.devices ?? []) for (const taint of taints ?? []) stampTaint(taint, context);
}
