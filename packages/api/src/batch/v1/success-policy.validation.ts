import {
  byteLength,
  type FieldError,
  type FieldPath,
  invalidField,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import type { JobSpec, SuccessPolicyRule } from '../../generated/types/batch-v1.js';
import { checkMaxItems, checkNonNegative } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { jobTypes } from './job.internal-form.js';
import { countIndexes } from './job-indexes.js';

const mostRules = 20;
const mostIndexBytes = 64 * 1024;

export function validateSuccessPolicy(path: FieldPath, spec: JobSpec): FieldError[] {
  const rules = spec.successPolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  if (spec.completionMode !== 'Indexed') {
    const shown = toInternalForm(spec.successPolicy, 'SuccessPolicy', jobTypes);
    return [invalidField(path, shown, 'requires indexed completion mode')];
  }
  const none = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [requiredField(rulesPath, none)] : []),
    ...checkMaxItems(rulesPath, rules, mostRules),
    ...rules.flatMap((rule, index) => validateRule(rulesPath.index(index), rule, spec.completions ?? 0)),
  ];
}

function validateRule(path: FieldPath, rule: SuccessPolicyRule, completions: number): FieldError[] {
  const { succeededCount, succeededIndexes } = rule;
  if (succeededCount === undefined && succeededIndexes === undefined) {
    return [requiredField(path, 'at least one of succeededCount or succeededIndexes must be specified')];
  }
  const counted = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions);
  return [
    ...(succeededIndexes === undefined
      ? []
      : validateIndexes(path.child('succeededIndexes'), succeededIndexes, completions)),
    ...validateCount(path.child('succeededCount'), succeededCount, [
      [completions, 'the number of specified completions'],
      [counted?.count, 'the number of indexes in the specified succeededIndexes field'],
    ]),
  ];
}

function validateIndexes(path: FieldPath, indexes: string, completions: number): FieldError[] {
  const errors = byteLength(indexes) > mostIndexBytes ? [tooLongField(path, mostIndexBytes)] : [];
  const { problem } = countIndexes(indexes, completions);
  return problem ? [...errors, invalidField(path, indexes, `error parsing succeededIndexes: ${problem}`)] : errors;
}

function validateCount(
  path: FieldPath,
  count: number | undefined,
  bounds: readonly (readonly [number | undefined, string])[],
): FieldError[] {
  if (count === undefined) return [];
  const errors = checkNonNegative(path, count);
  for (const [bound, what] of bounds) {
    if (bound === undefined || count <= bound) continue;
    errors.push(invalidField(path, count, `must be less than or equal to ${bound} (${what})`));
  }
  return errors;
}
