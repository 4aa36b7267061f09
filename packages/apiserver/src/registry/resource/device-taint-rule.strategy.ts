import { type resourcev1beta2, schemaOfKind } from '@coracle/api';
import type { ObjectSchema } from '@coracle/apimachinery';
import { clearStatus } from '../status-field.js';
import type { Strategy } from '../strategy.js';
import { stampTaint } from './device-taints.js';

const kind = { group: 'resource.k8s.io', version: 'v1beta2', kind: 'DeviceTaintRule' };

/** DeviceTaintRules, which taint devices in addition to the taints of their drivers. */
export const deviceTaintRuleStrategy: Strategy<resourcev1beta2.DeviceTaintRule> = {
  hasGeneration: true,
  prepareForCreate(rule, context) {
    // Every version of the kind has this schema.
    clearStatus(rule, schemaOfKind(kind) as ObjectSchema);
    stampTaint(rule.spec?.taint, context);
  },
  prepareForUpdate(rule, previous, context) {
    if (previous.status) rule.status = previous.status;
    else delete rule.status;
    stampTaint(rule.spec?.taint, context);
  },
};
