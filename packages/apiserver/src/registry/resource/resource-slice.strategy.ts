import type { resourcev1 } from '@coracle/api';
import { formatTime, type KubeObject } from '@coracle/apimachinery';
import type { Strategy, StrategyContext } from '../strategy.js';
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

/** Rules that taint devices besides their drivers. */
export const deviceTaintRuleStrategy: Strategy<DeviceTaintRule> = {
  hasGeneration: true,
  prepareForCreate(rule, context) {
    delete rule.status;
    stamp(rule.spec?.taint, context);
  },
  prepareForUpdate(rule, previous, context) {
    if (previous.status) rule.status = previous.status;
    else delete rule.status;
    stamp(rule.spec?.taint, context);
  },
};

interface DeviceTaintRule extends KubeObject {
  spec?: { readonly taint?: resourcev1.DeviceTaint };
  status?: object;
}

function stampTaints({ spec }: resourcev1.ResourceSlice, context: StrategyContext): void {
  for (const { taints } of spec?.devices ?? []) for (const taint of taints ?? []) stamp(taint, context);
}

/** Pods are given a while to leave from when a taint came, which need not be said. */
function stamp(taint: resourcev1.DeviceTaint | undefined, { clock }: StrategyContext): void {
  if (taint) taint.timeAdded ??= formatTime(clock.now());
}
