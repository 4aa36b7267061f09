import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  requiredField,
  scoped,
} from '@coracle/apimachinery';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../generated/types/core-v1.js';
import { checkValue } from './field-checks.js';

export function checkNodeSelector(path: FieldPath, selector: NodeSelector): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = path.child('nodeSelectorTerms');
  if (terms.length === 0) return [requiredField(termsPath, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => checkNodeSelectorTerm(termsPath.index(index), term));
}

/** Preferences may name label values that no node can have (`anyValue`); they then just do not count. */
export function checkNodeSelectorTerm(
  path: FieldPath,
  term: NodeSelectorTerm,
  options: { readonly anyValue?: boolean } = {},
): FieldError[] {
  const { matchExpressions = [], matchFields = [] } = term;
  return [
    ...matchExpressions.flatMap((one, index) =>
      checkExpression(path.child('matchExpressions').index(index), one, options),
    ),
    ...matchFields.flatMap((one, index) => checkField(path.child('matchFields').index(index), one)),
  ];
}

function checkExpression(
  path: FieldPath,
  requirement: NodeSelectorRequirement,
  { anyValue = false }: { readonly anyValue?: boolean },
): FieldError[] {
  const { key, values = [] } = requirement;
  const errors = [...checkOperator(path, requirement), ...checkValue(path.child('key'), key, isQualifiedName)];
  if (anyValue) return errors;
  const invalid = values.flatMap((value, i) => checkValue(path.child('values').index(i), value, isLabelValue));
  return [...errors, ...scoped(invalid, { newRule: 'values of node selectors' })];
}

function checkOperator(path: FieldPath, { operator, values = [] }: NodeSelectorRequirement): FieldError[] {
  const valuesPath = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [requiredField(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbiddenField(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      if (values.length === 1) return [];
      return [requiredField(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidField(path.child('operator'), operator, 'not a valid selector operator')];
  }
}

/** Of a node's fields only its name can be selected. */
function checkField(path: FieldPath, { key, operator, values = [] }: NodeSelectorRequirement): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidField(path.child('operator'), operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(requiredField(path.child('values'), detail));
  }
  if (key !== 'metadata.name')
    return [...errors, invalidField(path.child('key'), key, 'not a valid field selector key')];
  const checked = values.flatMap((value, i) => checkValue(path.child('values').index(i), value, isDns1123Subdomain));
  return [...errors, ...checked];
}
