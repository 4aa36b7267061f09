import {
  byteLength,
  type CelType,
  duplicateField,
  dynType,
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Subdomain,
  isQualifiedName,
  JsonPath,
  JsonPathError,
  requiredField,
} from '@coracle/apimachinery';
import type {
  AuditAnnotation,
  ExpressionWarning,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../generated/types/admissionregistration-v1.js';
import { type CelPlace, celTypeOf, checkCelExpression } from '../../validation/cel-expression.js';
import { checkConditions } from '../../validation/conditions.js';
import {
  checkGivenSupported,
  checkItems,
  checkRequiredValue,
  checkSupported,
  checkValue,
} from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkMatchConditions, requestVariables } from './match-conditions.validation.js';
import { checkMatchResources, checkParamKind, checkParamRef, checkVariables } from './match-resources.validation.js';

const specPath = FieldPath.of('spec');
const maxAuditAnnotations = 20;
const maxValueExpression = 5 * 1024;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const actions = ['Audit', 'Deny', 'Warn'];

export function validateValidatingAdmissionPolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy): FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  const place = policyPlace(spec, false);
  const errors = checkPolicy(spec, place);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    const missing = ['validations', 'auditAnnotations'].map((field) => requiredField(specPath.child(field), detail));
    return [...errors, ...missing];
  }
  return [
    ...errors,
    ...validations.flatMap((one, index) => checkValidation(specPath.child('validations').index(index), one, place)),
    ...checkAuditAnnotations(auditAnnotations, metadata.name ?? '', place),
  ];
}

export function validateValidatingAdmissionPolicyStatusUpdate({
  status = {},
}: ValidatingAdmissionPolicy): FieldError[] {
  const path = FieldPath.of('status');
  const warnings = path.child('typeChecking', 'expressionWarnings');
  return [
    ...checkItems(warnings, status.typeChecking?.expressionWarnings, checkExpressionWarning),
    ...checkConditions(path.child('conditions'), status.conditions),
  ];
}

function checkExpressionWarning(path: FieldPath, { warning, fieldRef }: ExpressionWarning): FieldError[] {
  return [
    ...(warning ? [] : [requiredField(path.child('warning'))]),
    ...checkFieldRef(path.child('fieldRef'), (fieldRef ?? '').trim()),
  ];
}

function checkFieldRef(path: FieldPath, fieldRef: string): FieldError[] {
  if (fieldRef === '') return [requiredField(path)];
  try {
    new JsonPath(`{${fieldRef}}`);
    return [];
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return [invalidField(path, fieldRef, `invalid JSONPath: ${error.message}`)];
  }
}

/**
 * The variables of the policy's expressions. Parameters exist only if their kind is set; `variables` exists without any
 * in mutating policies only.
 */
export function policyPlace(
  { paramKind, variables = [] }: Pick<ValidatingAdmissionPolicySpec, 'paramKind' | 'variables'>,
  isMutating: boolean,
): CelPlace {
  const names = [...requestVariables, ...(paramKind ? ['params'] : [])];
  if (variables.length === 0 && !isMutating) return { variables: names };
  names.push('variables');
  const variableTypes = new Map<string, CelType>();
  for (const { name, expression } of variables)
    variableTypes.set(
      name,
      celTypeOf(expression, { variables: names, variableTypes: new Map(variableTypes) }) ?? dynType,
    );
  return { variables: names, variableTypes };
}

/** The part that validating and mutating policies share. */
export function checkPolicy(spec: Omit<ValidatingAdmissionPolicySpec, 'validations'>, place: CelPlace): FieldError[] {
  const { paramKind, matchConstraints, matchConditions = [], variables = [] } = spec;
  const constraints = specPath.child('matchConstraints');
  return [
    ...checkGivenSupported(specPath.child('failurePolicy'), spec.failurePolicy, ['Fail', 'Ignore']),
    ...(paramKind ? checkParamKind(specPath.child('paramKind'), paramKind) : []),
    ...(matchConstraints ? checkMatchResources(constraints, matchConstraints) : [requiredField(constraints)]),
    ...(matchConstraints && !matchConstraints.resourceRules?.length
      ? [requiredField(constraints.child('resourceRules'))]
      : []),
    // Match conditions are evaluated before any variable.
    ...checkMatchConditions(
      specPath.child('matchConditions'),
      matchConditions,
      place.variables.filter((name) => name !== 'variables'),
    ),
    ...checkVariables(specPath.child('variables'), variables, place),
  ];
}

function checkValidation(path: FieldPath, validation: Validation, place: CelPlace): FieldError[] {
  const { expression, messageExpression = '', reason } = validation;
  const field = path.child('expression');
  const errors =
    expression.trim() === ''
      ? [requiredField(field, 'expression is not specified')]
      : checkCelExpression(field, expression, { ...place, results: ['bool'] });
  if (messageExpression !== '') {
    const at = path.child('messageExpression');
    if (messageExpression.trim() === '') {
      errors.push(invalidField(at, messageExpression, 'must be non-empty if specified'));
    } else {
      const variables = place.variables.filter((name) => name !== 'authorizer');
      errors.push(...checkCelExpression(at, messageExpression, { ...place, variables, results: ['string'] }));
    }
  }
  errors.push(...checkMessage(path.child('message'), validation));
  return reason === undefined ? errors : [...errors, ...checkSupported(path.child('reason'), reason, reasons)];
}

function checkMessage(path: FieldPath, { message = '' }: Validation): FieldError[] {
  const text = message.trim();
  if (message !== '' && text === '') return [invalidField(path, message, 'must be non-empty if specified')];
  return /[\n\r]/.test(text) ? [invalidField(path, message, 'must not contain line breaks')] : [];
}

function checkAuditAnnotations(
  annotations: readonly AuditAnnotation[],
  policyName: string,
  place: CelPlace,
): FieldError[] {
  const path = specPath.child('auditAnnotations');
  const errors: FieldError[] = [];
  if (annotations.length > maxAuditAnnotations) {
    const shown = annotations.map((one) => goValue('admissionregistration-v1/AuditAnnotation', one));
    errors.push(invalidField(path, shown, `must not have more than ${maxAuditAnnotations} auditAnnotations`));
  }
  const keys = annotations.map(({ key }) => key);
  for (const [index, { key, valueExpression }] of annotations.entries()) {
    const at = path.index(index);
    errors.push(...checkAuditKey(at.child('key'), key, policyName));
    errors.push(...checkValueExpression(at.child('valueExpression'), valueExpression, place));
    if (keys.indexOf(key) < index) errors.push(duplicateField(at.child('key'), key));
  }
  return errors;
}

/** The key of an annotation is prefixed with the name of its policy. */
function checkAuditKey(path: FieldPath, key: string, policyName: string): FieldError[] {
  if (policyName === '') return [invalidField(path, key, 'requires metadata.name be non-empty')];
  return checkValue(path, `${policyName}/${key}`, isQualifiedName);
}

function checkValueExpression(path: FieldPath, expression: string, place: CelPlace): FieldError[] {
  if (expression.trim() === '') return [requiredField(path, 'valueExpression is not specified')];
  if (byteLength(expression.trim()) > maxValueExpression) {
    return [requiredField(path, `must not exceed ${maxValueExpression} bytes in length`)];
  }
  return checkCelExpression(path, expression, { ...place, results: ['string', 'null'] });
}

export function validateValidatingAdmissionPolicyBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const validationActions = spec?.validationActions ?? [];
  const path = specPath.child('validationActions');
  const errors = checkBinding(spec ?? {});
  if (validationActions.length === 0)
    return [...errors, requiredField(path, 'at least one validation action is required')];
  for (const [index, action] of validationActions.entries()) {
    errors.push(...checkSupported(path.index(index), action, actions));
    if (validationActions.indexOf(action) < index) errors.push(duplicateField(path.index(index), action));
  }
  if (validationActions.includes('Deny') && validationActions.includes('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(invalidField(path, validationActions, detail));
  }
  return errors;
}

/** The part that the bindings of validating and mutating policies share. */
export function checkBinding(spec: NonNullable<MutatingAdmissionPolicyBinding['spec']>): FieldError[] {
  const { policyName, paramRef, matchResources } = spec;
  return [
    ...checkRequiredValue(specPath.child('policyName'), policyName, isDns1123Subdomain),
    ...(paramRef ? checkParamRef(specPath.child('paramRef'), paramRef) : []),
    ...(matchResources ? checkMatchResources(specPath.child('matchResources'), matchResources) : []),
  ];
}
