import type { AdmissionAttributes, AdmissionVersion } from '../admission.js';
import { matchesRule, type Rule, type RuleTarget } from './match-rules.js';

/** The constraints of a webhook or a policy on the requests that it matches. */
export interface Constraints {
  readonly rules: readonly Rule[];
  readonly excluded?: readonly Rule[] | undefined;
  /** `Equivalent`: also requests for the same objects in other versions, which are then converted. */
  readonly matchPolicy: string;
}

/** A rule that matches a request, and the version in which it matches. */
export interface VersionMatch {
  readonly rules: readonly Rule[];
  readonly excluded: readonly Rule[];
  readonly version: AdmissionVersion;
}

/**
 * Matches constraints against a kind of request, independent of its object: names, labels and contents are not
 * evaluated.
 */
export function matchVersion(
  { rules, excluded = [], matchPolicy }: Constraints,
  attributes: AdmissionAttributes,
): VersionMatch | undefined {
  const { requested, equivalents } = attributes;
  const candidates = matchPolicy === 'Exact' ? [requested] : [requested, ...equivalents];
  const out = candidates.flatMap((version) => rulesFor(excluded, targetOf(attributes, version)));
  if (out.some(({ resourceNames = [] }) => resourceNames.length === 0)) return undefined;
  const version = versionFor(rules, attributes, candidates);
  return version && { rules: rulesFor(rules, targetOf(attributes, version)), excluded: out, version };
}

/**
 * The requested version if a rule matches it; otherwise the version of the first rule that matches an equivalent one.
 */
function versionFor(
  rules: readonly Rule[],
  attributes: AdmissionAttributes,
  [requested, ...equivalents]: readonly AdmissionVersion[],
): AdmissionVersion | undefined {
  const matches = (rule: Rule, version: AdmissionVersion) => matchesRule(rule, targetOf(attributes, version));
  if (requested && rules.some((rule) => matches(rule, requested))) return requested;
  for (const rule of rules) {
    const version = equivalents.find((one) => matches(rule, one));
    if (version) return version;
  }
  return undefined;
}

function rulesFor(rules: readonly Rule[], target: RuleTarget): readonly Rule[] {
  return rules.filter((rule) => matchesRule(rule, target));
}

function targetOf(
  { operation, subresource, isNamespaced }: AdmissionAttributes,
  version: AdmissionVersion,
): RuleTarget {
  return { operation, version, subresource, isNamespaced };
}
