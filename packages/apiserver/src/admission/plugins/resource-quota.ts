import {
  amountsOf,
  isInScope,
  type QuotaEvaluator,
  QuotaEvaluators,
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

/** Charges new objects to the quotas of their namespace, and rejects objects that exceed them. */
export function resourceQuota(
  { objects, writer, clock }: ResourceQuotaDependencies,
  config: ResourceQuotaConfig = {},
): AdmissionPlugin {
  const ledger = new QuotaLedger(writer);
  const evaluators = new QuotaEvaluators({
    classes: () => objects.list(refs.deviceClasses),
    pod: (namespace, name) => objects.get(refs.pods, namespace, name),
    claims: (namespace) => objects.list(refs.resourceClaims, namespace),
  });
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
      const evaluator = evaluators.for(attributes.resource);
      if (!isCharged(attributes, evaluator)) return undefined;
      const concerned = quotas.filter((quota) => concerns(quota, evaluator, attributes));
      for (const quota of concerned) refuseUnclear(quota, evaluator, attributes);
      const costs = costsOf(attributes, evaluator, clock);
      const charges = chargesFor(concerned, evaluator, { attributes, costs });
      if (concerned.length > 0 ? charges.length === 0 : costs.change.size === 0) return undefined;
      refuseUnlimited(config, { attributes, evaluator, amounts: costs.whole, quotas, concerned });
      return attributes.dryRun ? tryOut(charges) : chargeAll(ledger, charges);
    },
  };
}

function isCharged({ operation, object, oldObject, subresource }: AdmissionAttributes, evaluator: QuotaEvaluator) {
  if (!object) return false;
  if (operation === 'CREATE') return subresource === '';
  return oldObject !== undefined && (evaluator.chargesUpdate?.(object, oldObject, subresource) ?? false);
}

/** A quota is enforced once the controller has written its status. */
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

/** The usage of an object, and its difference to the previous version. */
interface Costs {
  readonly whole: ResourceAmounts;
  readonly change: ResourceAmounts;
}

function costsOf({ object, oldObject }: AdmissionAttributes, evaluator: QuotaEvaluator, clock: Clock): Costs {
  const now = clock.now();
  const usage: ResourceAmounts = object ? evaluator.usage(object, now) : new Map();
  const before: ResourceAmounts = oldObject ? evaluator.usage(oldObject, now) : new Map();
  return { whole: usageDifference(usage, new Map()), change: usageDifference(usage, before) };
}

interface QuotaCharge extends Charge {
  readonly quota: ResourceQuota;
}

/** A quota whose scope the object enters with an update is charged its whole usage, others the difference. */
function chargesFor(
  quotas: readonly ResourceQuota[],
  evaluator: QuotaEvaluator,
  { attributes, costs }: { readonly attributes: AdmissionAttributes; readonly costs: Costs },
): QuotaCharge[] {
  const { oldObject, resource, name } = attributes;
  const refuse = (message: string) => forbidden(resource, name, message);
  return quotas
    .map((quota) => {
      const amounts = oldObject && isInScope(quota, evaluator, oldObject) ? costs.change : costs.whole;
      return { quota, amounts, refuse };
    })
    .filter(({ amounts }) => amounts.size > 0);
}

function tryOut(charges: readonly QuotaCharge[]): void {
  for (const { quota, amounts, refuse } of charges) {
    const message = excess(quota, amountsOf(quota.status?.used), amounts);
    if (message !== undefined) throw refuse(message);
  }
}

/** Quotas are charged one after the other; if one rejects the request, the earlier charges are reverted. */
async function chargeAll(ledger: QuotaLedger, charges: readonly QuotaCharge[]): Promise<void> {
  const put = ({ quota: { metadata }, amounts, refuse }: QuotaCharge) =>
    ledger.charge(metadata.namespace ?? '', metadata.name ?? '', { amounts, refuse });
  const charged: QuotaCharge[] = [];
  try {
    for (const charge of charges) {
      await put(charge);
      charged.push(charge);
    }
  } catch (error) {
    const refunds = charged.map((charge) => put({ ...charge, amounts: usageDifference(new Map(), charge.amounts) }));
    await Promise.allSettled(refunds);
    throw error;
  }
}
