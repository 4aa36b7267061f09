import { type FieldError, FieldPath, invalidField, notSupportedField, requiredField } from '@coracle/apimachinery';
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
} from '../../generated/types/admissionregistration-v1.js';
import { type CelPlace, celTypeOf, checkCelExpression, ofExpression } from '../../validation/cel-expression.js';
import { checkRequiredSupported } from '../../validation/field-checks.js';
import { checkBinding, checkPolicy, policyPlace } from './validating-admission-policy.validation.js';

const specPath = FieldPath.of('spec');
/** Deleted objects cannot be mutated. */
const operations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

export function validateMutatingAdmissionPolicy({ spec = {} }: MutatingAdmissionPolicy): FieldError[] {
  const { mutations = [], reinvocationPolicy } = spec;
  const path = specPath.child('mutations');
  const place = { ...policyPlace(spec, true), makesObjects: true };
  return [
    ...checkPolicy(spec, place),
    ...checkOperations(specPath.child('matchConstraints'), spec.matchConstraints),
    ...(mutations.length === 0 ? [requiredField(path, 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((one, index) => checkMutation(path.index(index), one, place)),
    ...checkRequiredSupported(specPath.child('reinvocationPolicy'), reinvocationPolicy, ['IfNeeded', 'Never']),
  ];
}

export function validateMutatingAdmissionPolicyBinding({ spec }: MutatingAdmissionPolicyBinding): FieldError[] {
  return [...checkBinding(spec ?? {}), ...checkOperations(specPath.child('matchResources'), spec?.matchResources)];
}

/** Upstream names neither the rule nor the operation by its index. */
function checkOperations(path: FieldPath, resources: MatchResources = {}): FieldError[] {
  const ruleOperations = (resources.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  const field = path.child('resourceRules', 'operations');
  return ruleOperations
    .filter((one) => !operations.includes(one))
    .map((one) => notSupportedField(field, one, operations));
}

const fieldByType = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;
const patchTypes = Object.keys(fieldByType) as (keyof typeof fieldByType)[];

function checkMutation(path: FieldPath, mutation: Mutation, place: CelPlace): FieldError[] {
  const patchType = patchTypes.find((one) => one === mutation.patchType);
  if (!patchType) return checkRequiredSupported(path.child('patchType'), mutation.patchType, patchTypes);
  const errors: FieldError[] = [];
  for (const field of Object.values(fieldByType)) {
    const at = path.child(field);
    const patch = mutation[field];
    if (field !== fieldByType[patchType]) {
      if (patch) errors.push(invalidField(at, patch, `must not be specified when patchType is ${patchType}`));
    } else if (!patch) errors.push(requiredField(at, `must be specified when patchType is ${patchType}`));
    else errors.push(...checkPatch(at.child('expression'), patch.expression ?? '', patchType, place));
  }
  return errors;
}

function checkPatch(
  path: FieldPath,
  expression: string,
  patchType: keyof typeof fieldByType,
  place: CelPlace,
): FieldError[] {
  if (expression.trim() === '') return [requiredField(path)];
  const errors = checkCelExpression(path, expression, place);
  if (errors.length > 0) return errors;
  const expectedType = patchType === 'JSONPatch' ? 'list(JSONPatch)' : 'Object';
  const typeName = celTypeOf(expression, place)?.text ?? '';
  if (typeName === expectedType) return [];
  return ofExpression(expression, [
    invalidField(path, expression, `must evaluate to ${expectedType} but got ${typeName}`),
  ]);
}
