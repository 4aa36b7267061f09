import type { PodSpec } from '@coracle/api';
import type { ObjectMeta } from '@coracle/apimachinery';
import { baselineChecks } from './baseline-checks.js';
import type { Check, Level, Violation } from './check.js';
import type { Policy } from './policy.js';
import { restrictedChecks } from './restricted-checks.js';

/** A check of a stricter level replaces the one of the same name. */
const replacedBy: Readonly<Record<string, string>> = {
  capabilities_restricted: 'capabilities_baseline',
  restrictedVolumes: 'hostPathVolumes',
  seccompProfile_restricted: 'seccompProfile_baseline',
};

/** Violations of a level, by the checks of the version that the policy names. */
export function evaluate(
  { level, minor }: Pick<Policy, 'level' | 'minor'>,
  metadata: ObjectMeta,
  spec: PodSpec,
): Violation[] {
  if (level === 'privileged') return [];
  return checksOf(level, minor).flatMap((check) => check.check(metadata, spec) ?? []);
}

function checksOf(level: Level, minor: number): readonly Check[] {
  const isThere = ({ since = 0 }: Check) => since <= minor;
  if (level === 'baseline') return baselineChecks.filter(isThere);
  const stricter = restrictedChecks.filter(isThere);
  const replaced = new Set(stricter.map(({ id }) => replacedBy[id]));
  return [...baselineChecks.filter((check) => isThere(check) && !replaced.has(check.id)), ...stricter];
}

/** The violations without details: `privileged, host ports`. */
export function reasonsOf(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}

/** `privileged (container "c" must not set securityContext.privileged=true), …` */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}
