import {
  duplicateField,
  type FieldError,
  type FieldPath,
  isQualifiedName,
  requiredField,
  tooManyField,
} from '@coracle/apimachinery';
import type { MatchCondition } from '../../generated/types/admissionregistration-v1.js';
import { checkCelExpression } from '../../validation/cel-expression.js';
import { checkRequiredValue } from '../../validation/field-checks.js';

const maxConditions = 64;

/** The names that expressions of webhooks and policies may use. */
export const requestVariables: readonly string[] = ['object', 'oldObject', 'request', 'authorizer', 'namespaceObject'];

export function checkMatchConditions(
  path: FieldPath,
  conditions: readonly MatchCondition[],
  variables: readonly string[] = requestVariables,
): FieldError[] {
  const errors = conditions.length > maxConditions ? [tooManyField(path, conditions.length, maxConditions)] : [];
  const names = new Set<string>();
  for (const [index, { name, expression }] of conditions.entries()) {
    const at = path.index(index);
    if (expression.trim() === '') errors.push(requiredField(at.child('expression')));
    else errors.push(...checkCelExpression(at.child('expression'), expression, { variables, results: ['bool'] }));
    errors.push(...checkRequiredValue(at.child('name'), name, isQualifiedName));
    if (name && names.has(name)) errors.push(duplicateField(at.child('name'), name));
    names.add(name);
  }
  return errors;
}
