import type { PodSpec } from '@coracle/api';
import type { ObjectMeta } from '@coracle/apimachinery';
import { baselineChecks } from './baseline-checks.js';
import type { Level, Violation } from './check.js';
import { restrictedChecks } from './restricted-checks.js';

/** A stricter check takes the place of the weaker one of its kind. */
const replacedByRestricted = new Set(['capabilities_baseline', 'hostPathVolumes', 'seccompProfile_baseline']);

/** Everything that keeps a pod from a level. */
export function evaluate(level: Level, metadata: ObjectMeta, spec: PodSpec): Violation[] {
  if (level === 'privileged') return [];
  const baseline =
    level === 'restricted' ? baselineChecks.filter(({ id }) => !replacedByRestricted.has(id)) : baselineChecks;
  const checks = level === 'restricted' ? [...baseline, ...restrictedChecks] : baseline;
  return checks.flatMap((check) => check.check(metadata, spec) ?? []);
}

/** `privileged (container "c" must not set securityContext.privileged=true), …` */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}
