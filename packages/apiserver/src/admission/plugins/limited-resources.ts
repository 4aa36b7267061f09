import {
  matchingScopes,
  type QuotaEvaluator,
  quotaScopes,
  type ResourceAmounts,
  type ResourceQuota,
  type ScopedResourceSelectorRequirement,
} from '@coracle/api';
import { forbidden, unexplainedFailure } from '@coracle/apimachinery';
import type { AdmissionAttributes } from '../admission.js';

/** A `ResourceQuotaConfiguration`: resources that can be used only where a quota of the namespace covers them. */
export interface ResourceQuotaConfig {
  readonly limitedResources?: readonly LimitedResource[];
}

interface LimitedResource {
  readonly apiGroup?: string;
  readonly resource: string;
  /** Limits the resources whose quota names contain one of these texts. */
  readonly matchContains?: readonly string[];
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

interface Use {
  readonly attributes: AdmissionAttributes;
  readonly evaluator: QuotaEvaluator;
  readonly amounts: ResourceAmounts;
  /** All quotas of the namespace. */
  readonly quotas: readonly ResourceQuota[];
  /** The quotas that the object is charged to. */
  readonly concerned: readonly ResourceQuota[];
}

/** Rejects limited resources that no quota covers. */
export function refuseUnlimited({ limitedResources = [] }: ResourceQuotaConfig, use: Use): void {
  const { resource } = use.attributes;
  const own = limitedResources.filter(
    (one) => one.resource === resource.resource && (one.apiGroup ?? '') === resource.group,
  );
  if (own.length === 0) return;
  refuseUncoveredNames(own, use);
  refuseUncoveredScopes(own, use);
}

function refuseUncoveredNames(limited: readonly LimitedResource[], use: Use): void {
  const { attributes, evaluator, amounts, concerned } = use;
  const parts = limited.flatMap(({ matchContains = [] }) => matchContains);
  const covered = new Set(
    concerned.flatMap(({ status }) => Object.keys(status?.hard ?? {}).filter((name) => evaluator.counts(name))),
  );
  const missing = [...amounts]
    .filter(([name, amount]) => amount.sign > 0 && !covered.has(name) && parts.some((part) => name.includes(part)))
    .map(([name]) => name);
  if (missing.length === 0) return;
  const list = missing.sort().join(',');
  throw forbidden(attributes.resource, attributes.name, `insufficient quota to consume: ${list}`);
}

/** Upstream gives no reason here, so the response is an internal error. */
function refuseUncoveredScopes(limited: readonly LimitedResource[], { attributes, evaluator, quotas }: Use): void {
  const { object } = attributes;
  if (!object) return;
  const scopes = matchingScopes(
    limited.flatMap(({ matchScopes = [] }) => matchScopes),
    evaluator,
    object,
  );
  const covered = quotas.flatMap((quota) => matchingScopes(quotaScopes(quota), evaluator, object));
  const missing = scopes.filter(({ scopeName }) => !covered.some((scope) => scope.scopeName === scopeName));
  if (missing.length === 0) return;
  const shown = missing.map(
    ({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`,
  );
  throw unexplainedFailure(`insufficient quota to match these scopes: [${shown.join(' ')}]`);
}
