import {
  duplicateField,
  type FieldError,
  type FieldPath,
  invalidField,
  isQualifiedName,
  requiredField,
} from '@coracle/apimachinery';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '../../generated/types/batch-v1.js';
import { checkMaxItems, checkSupported, checkValue } from '../../validation/field-checks.js';

const mostRules = 20;
const mostExitCodes = 255;
const mostConditions = 20;

export function validatePodFailurePolicy(path: FieldPath, spec: JobSpec): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  return [
    ...checkMaxItems(rulesPath, rules, mostRules),
    ...rules.flatMap((rule, index) => validateRule(rulesPath.index(index), rule, spec)),
  ];
}

function validateRule(path: FieldPath, rule: PodFailurePolicyRule, spec: JobSpec): FieldError[] {
  const { onExitCodes, onPodConditions = [] } = rule;
  const errors = validateAction(path.child('action'), rule.action ?? '', spec);
  if (onExitCodes) errors.push(...validateExitCodes(path.child('onExitCodes'), onExitCodes, spec));
  errors.push(...validateConditions(path.child('onPodConditions'), onPodConditions));
  if (onExitCodes && onPodConditions.length > 0) {
    errors.push(invalidWithoutValue(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    errors.push(invalidWithoutValue(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return errors;
}

/** For field errors on a whole that is too large to be shown. */
export function invalidWithoutValue(path: FieldPath, problem: string): FieldError {
  return { type: 'FieldValueInvalid', field: String(path), body: `Invalid value: ${problem}` };
}

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];

function validateAction(path: FieldPath, action: string, { backoffLimitPerIndex }: JobSpec): FieldError[] {
  if (action === '') return [requiredField(path, `valid values: ${quotedList(actions)}`)];
  if (action !== 'FailIndex') return checkSupported(path, action, actions);
  if (backoffLimitPerIndex !== undefined) return [];
  return [invalidField(path, action, 'requires the backoffLimitPerIndex to be set')];
}

function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

/** Like `checkSupported`, but an empty value is reported as missing, with the values to choose from. */
function checkChosen(path: FieldPath, value: string, supported: readonly string[]): FieldError[] {
  if (value === '') return [requiredField(path, `valid values: ${quotedList(supported)}`)];
  return checkSupported(path, value, supported);
}

function validateExitCodes(
  path: FieldPath,
  requirement: PodFailurePolicyOnExitCodesRequirement,
  spec: JobSpec,
): FieldError[] {
  const { operator = '', containerName, values } = requirement;
  const podSpec = spec.template?.spec;
  const names = [...(podSpec?.containers ?? []), ...(podSpec?.initContainers ?? [])].map(({ name }) => name);
  const errors = checkChosen(path.child('operator'), operator, ['In', 'NotIn']);
  if (containerName !== undefined && !names.includes(containerName)) {
    const problem = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidField(path.child('containerName'), containerName, problem));
  }
  return [...errors, ...validateCodes(path.child('values'), values ?? [], operator)];
}

function validateCodes(path: FieldPath, codes: readonly number[], operator: string): FieldError[] {
  if (codes.length === 0) return [invalidField(path, null, 'at least one value is required')];
  const errors = checkMaxItems(path, codes, mostExitCodes);
  const seen = new Set<number>();
  for (const [index, code] of codes.entries()) {
    if (operator === 'In' && code === 0) {
      errors.push(invalidField(path.index(index), code, 'must not be 0 for the In operator'));
    }
    if (seen.has(code)) errors.push(duplicateField(path.index(index), code));
    seen.add(code);
  }
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? code) <= code);
  return isOrdered ? errors : [...errors, invalidField(path, codes, 'must be ordered')];
}

function validateConditions(
  path: FieldPath,
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
): FieldError[] {
  return [
    ...checkMaxItems(path, patterns, mostConditions),
    ...patterns.flatMap(({ type = '', status = '' }, index) => [
      ...checkValue(path.index(index).child('type'), type, isQualifiedName),
      ...checkChosen(path.index(index).child('status'), status, ['False', 'True', 'Unknown']),
    ]),
  ];
}
