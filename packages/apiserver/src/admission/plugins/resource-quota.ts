import {
  amountsOf,
  isInScope,
  type QuotaEvaluator,
  quotaEvaluatorFor,
  type ResourceAmounts,
  type ResourceQuota,
  refs,
  usageDifference,
} from '@coracle/api';
import { forbidden } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import type { ObjectReader, ObjectWriter } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { type ResourceQuotaConfig, refuseUnlimited } from './limited-resources.js';
import { type Charge, excess, QuotaLedger } from './quota-ledger.js';

export interface ResourceQuotaDependencies {
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
}

/** Charges what is created to the quotas of its namespace, and refuses what they do not allow. */
export function resourceQuota(
  { objects, writer, clock }: ResourceQuotaDependencies,
  config: ResourceQuotaConfig = {},
): AdmissionPlugin {
  const ledger = new QuotaLedger(writer);
  return {
    name: 'ResourceQuota',
    handles: ({ operation, kind, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      (subresource === '' || subresource === 'resize') &&
      !(kind.group === '' && kind.kind === 'Namespace'),
    concerns: ({ namespace }) => namespace !== '',
    validate(attributes) {
      const quotas = objects.list(refs.resourceQuotas, attributes.namespace);
      if (quotas.length === 0 && !config.limitedResources) return undefined;
      const evaluator = quotaEvaluatorFor(attributes.resource);
      if (!isCharged(attributes, evaluator)) return undefined;
      const concerned = quotas.filter((quota) => concerns(quota, evaluator, attributes));
      for (const quota of concerned) refuseUnclear(quota, evaluator, attributes);
      const amounts = costOf(attributes, evaluator, clock);
      refuseUnlimited(config, { attributes, evaluator, amounts, quotas, concerned });
      if (concerned.length === 0 || amounts.size === 0) return undefined;
      const refuse = (message: string) => forbidden(attributes.resource, attributes.name, message);
      const charge = { amounts, refuse };
      return attributes.dryRun ? tryOut(concerned, charge) : chargeAll(ledger, concerned, charge);
    },
  };
}

function isCharged({ operation, object, oldObject, subresource }: AdmissionAttributes, evaluator: QuotaEvaluator) {
  if (!object) return false;
  if (operation === 'CREATE') return subresource === '';
  return oldObject !== undefined && (evaluator.chargesUpdate?.(object, oldObject, subresource) ?? false);
}

/** A quota counts from when the controller has taken stock of it: that is what its status says. */
function concerns(quota: ResourceQuota, evaluator: QuotaEvaluator, { object }: AdmissionAttributes): boolean {
  return namesIn(quota, evaluator).length > 0 && object !== undefined && isInScope(quota, evaluator, object);
}

function namesIn({ status }: ResourceQuota, evaluator: QuotaEvaluator): string[] {
  return Object.keys(status?.hard ?? {}).filter((name) => evaluator.counts(name));
}

function refuseUnclear(quota: ResourceQuota, evaluator: QuotaEvaluator, attributes: AdmissionAttributes): void {
  const { object, resource, name } = attributes;
  const names = namesIn(quota, evaluator);
  const quotaName = quota.metadata.name ?? '';
  const missing = object && evaluator.missing?.(names, object);
  if (missing) throw forbidden(resource, name, `failed quota: ${quotaName}: ${missing}`);
  if (names.every((one) => Object.hasOwn(quota.status?.used ?? {}, one))) return;
  const list = names.sort().join(',');
  throw forbidden(resource, name, `status unknown for quota: ${quotaName}, resources: ${list}`);
}

function costOf({ object, oldObject }: AdmissionAttributes, evaluator: QuotaEvaluator, clock: Clock): ResourceAmounts {
  const now = clock.now();
  const before: ResourceAmounts = oldObject ? evaluator.usage(oldObject, now) : new Map();
  return object ? usageDifference(evaluator.usage(object, now), before) : new Map();
}

function tryOut(quotas: readonly ResourceQuota[], { amounts, refuse }: Charge): void {
  for (const quota of quotas) {
    const message = excess(quota, amountsOf(quota.status?.used), amounts);
    if (message !== undefined) throw refuse(message);
  }
}

/** One after the other; if one rejects the request, the charges to those before it are reverted. */
async function chargeAll(ledger: QuotaLedger, quotas: readonly ResourceQuota[], charge: Charge): Promise<void> {
  const charged: ResourceQuota[] = [];
  try {
    for (const quota of quotas) {
      await ledger.charge(quota.metadata.namespace ?? '', quota.metadata.name ?? '', charge);
      charged.push(quota);
    }
  } catch (error) {
    const amounts = usageDifference(new Map(), charge.amounts);
    const refunds = charged.map(({ metadata }) =>
      ledger.charge(metadata.namespace ?? '', metadata.name ?? '', { ...charge, amounts }),
    );
    await Promise.allSettled(refunds);
    throw error;
  }
}
