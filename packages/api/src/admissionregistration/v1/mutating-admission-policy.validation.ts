import { type FieldError, FieldPath, forbiddenField, requiredField } from '@coracle/apimachinery';
import type { MutatingAdmissionPolicy, Mutation } from '../../generated/types/admissionregistration-v1.js';
import { checkCelExpression } from '../../validation/cel-expression.js';
import { checkRequiredSupported } from '../../validation/field-checks.js';
import { checkPolicy, variableNames } from './validating-admission-policy.validation.js';

const specPath = FieldPath.of('spec');

export function validateMutatingAdmissionPolicy({ spec = {} }: MutatingAdmissionPolicy): FieldError[] {
  const { mutations = [], reinvocationPolicy } = spec;
  const path = specPath.child('mutations');
  const names = variableNames(spec);
  return [
    ...checkPolicy(spec, names),
    ...(mutations.length === 0 ? [requiredField(path, 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((one, index) => checkMutation(path.index(index), one, names)),
    ...checkRequiredSupported(specPath.child('reinvocationPolicy'), reinvocationPolicy, ['IfNeeded', 'Never']),
  ];
}

const fieldByType = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;

function checkMutation(path: FieldPath, mutation: Mutation, names: readonly string[]): FieldError[] {
  const { patchType } = mutation;
  const types = Object.keys(fieldByType) as (keyof typeof fieldByType)[];
  const errors = checkRequiredSupported(path.child('patchType'), patchType, types);
  for (const type of types) {
    const field = fieldByType[type];
    const expression = mutation[field]?.expression?.trim() ?? '';
    const at = path.child(field);
    if (type !== patchType) {
      if (mutation[field]) errors.push(forbiddenField(at, `must not be set when patchType is ${patchType}`));
    } else if (!mutation[field]) errors.push(requiredField(at, `must be specified when patchType is ${patchType}`));
    else if (expression === '') {
      errors.push(requiredField(at.child('expression'), 'expression is not specified'));
    } else if (type === 'JSONPatch') {
      errors.push(...checkCelExpression(at.child('expression'), expression, { variables: [...names, 'JSONPatch'] }));
    }
  }
  return errors;
}
