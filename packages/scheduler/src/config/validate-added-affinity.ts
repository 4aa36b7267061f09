import type { NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm } from '@coracle/api';
import {
  type FieldError,
  type FieldPath,
  invalidField,
  isLabelValue,
  isQualifiedName,
  notSupportedField,
} from '@coracle/apimachinery';

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];
const fieldOperators = ['In', 'NotIn'];

/** Field errors in the affinity that is added to all pods. Terms without requirements or weight are ignored. */
export function validateAddedAffinity(path: FieldPath, affinity: NodeAffinity): FieldError[] {
  const required = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const preferred = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  const terms = affinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferences = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...terms.flatMap((term, index) => validateTerm(required.index(index), term)),
    ...preferences.flatMap(({ weight, preference }, index) =>
      weight ? validateTerm(preferred.index(index), preference) : [],
    ),
  ];
}

function validateTerm(path: FieldPath, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): FieldError[] {
  return [
    ...matchExpressions.flatMap((one, index) => validateExpression(path.child('matchExpressions').index(index), one)),
    ...matchFields.flatMap((one, index) => validateField(path.child('matchFields').index(index), one)),
  ];
}

function validateExpression(path: FieldPath, { key, operator, values = [] }: NodeSelectorRequirement): FieldError[] {
  if (!operators.includes(operator)) return [notSupportedField(path.child('operator'), operator, operators)];
  const badKey = isQualifiedName(key).join('; ');
  const badValues = problemOfValues(operator, values);
  return [
    ...(badKey === '' ? [] : [invalidField(path.child('key'), key, badKey)]),
    ...(badValues === undefined ? [] : [invalidField(path.child('values'), values, badValues)]),
    ...values.flatMap((value, index) => validateValue(path.child('values').index(index), value, { key, operator })),
  ];
}

/** Number of values that an operator takes. */
function problemOfValues(operator: string, { length }: readonly string[]): string | undefined {
  if (operator === 'In' || operator === 'NotIn')
    return length > 0 ? undefined : "for 'in', 'notin' operators, values set can't be empty";
  if (operator === 'Gt' || operator === 'Lt')
    return length === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  return length === 0 ? undefined : 'values set must be empty for exists and does not exist';
}

function validateValue(
  path: FieldPath,
  value: string,
  { key, operator }: { readonly key: string; readonly operator: string },
): FieldError[] {
  const problem = isLabelValue(value).join('; ');
  const isCompared = operator === 'Gt' || operator === 'Lt';
  return [
    ...(isCompared && !/^[+-]?\d+$/.test(value)
      ? [invalidField(path, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
      : []),
    ...(problem === '' ? [] : [invalidField(path.key(key), value, problem)]),
  ];
}

function validateField(path: FieldPath, { operator, values = [] }: NodeSelectorRequirement): FieldError[] {
  if (!fieldOperators.includes(operator)) return [notSupportedField(path.child('operator'), operator, fieldOperators)];
  return values.length === 1 ? [] : [invalidField(path.child('values'), values, 'must have one element')];
}
