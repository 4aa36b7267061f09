import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  parseApiVersion,
  requiredField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import type {
  MatchResources,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
  Variable,
} from '../../generated/types/admissionregistration-v1.js';
import { type CelPlace, checkCelExpression, isCelIdentifier } from '../../validation/cel-expression.js';
import { checkGivenSupported, checkRequiredSupported, checkValue } from '../../validation/field-checks.js';
import { checkRuleWithOperations } from './rules-with-operations.validation.js';

export function checkMatchResources(path: FieldPath, resources: MatchResources): FieldError[] {
  return [
    ...checkGivenSupported(path.child('matchPolicy'), resources.matchPolicy, ['Equivalent', 'Exact']),
    ...(['namespaceSelector', 'objectSelector'] as const).flatMap((field) =>
      resources[field]
        ? validateLabelSelector(resources[field], path.child(field))
        : [requiredField(path.child(field))],
    ),
    ...(['resourceRules', 'excludeResourceRules'] as const).flatMap((field) =>
      (resources[field] ?? []).flatMap((rule, index) => checkNamedRule(path.child(field).index(index), rule)),
    ),
  ];
}

function checkNamedRule(path: FieldPath, rule: NamedRuleWithOperations): FieldError[] {
  const names = rule.resourceNames ?? [];
  return [
    ...names.flatMap((name, index) => {
      const at = path.child('resourceNames').index(index);
      return [
        ...checkValue(at, name, isPathSegmentName),
        ...(names.indexOf(name) < index ? [duplicateField(at, name)] : []),
      ];
    }),
    ...checkRuleWithOperations(path, rule),
  ];
}

export function checkParamKind(path: FieldPath, { apiVersion = '', kind = '' }: ParamKind): FieldError[] {
  const errors: FieldError[] = [];
  const field = path.child('apiVersion');
  const parsed = parseApiVersion(apiVersion);
  if (apiVersion === '') errors.push(requiredField(field));
  else if (!parsed) errors.push(invalidField(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const { group, version } = parsed;
    const groupProblems = group === '' ? [] : isDns1123Subdomain(group);
    if (groupProblems.length > 0) errors.push(invalidField(field, group, groupProblems.join(',')));
    const versionProblems = version === '' ? [] : isDns1035Label(version);
    if (version === '') errors.push(invalidField(field, apiVersion, 'version must be specified'));
    if (versionProblems.length > 0) errors.push(invalidField(field, version, versionProblems.join(',')));
  }
  if (kind === '') return [...errors, requiredField(path.child('kind'))];
  const problems = isDns1035Label(kind.toLowerCase());
  if (problems.length === 0) return errors;
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [...errors, invalidField(path.child('kind'), kind, detail)];
}

export function checkParamRef(path: FieldPath, reference: ParamRef): FieldError[] {
  const { name = '', selector, parameterNotFoundAction } = reference;
  const exclusive = 'name and selector are mutually exclusive';
  const errors: FieldError[] = [];
  if (name !== '') {
    errors.push(...checkValue(path.child('name'), name, isPathSegmentName));
    if (selector) errors.push(forbiddenField(path.child('name'), exclusive));
  }
  if (selector) {
    errors.push(...validateLabelSelector(selector, path.child('selector')));
    if (name !== '') errors.push(forbiddenField(path.child('selector'), exclusive));
  }
  if (name === '' && !selector) errors.push(requiredField(path, 'one of name or selector must be specified'));
  const action = path.child('parameterNotFoundAction');
  return [...errors, ...checkRequiredSupported(action, parameterNotFoundAction, ['Deny', 'Allow'])];
}

export function checkVariables(path: FieldPath, variables: readonly Variable[], place: CelPlace): FieldError[] {
  return variables.flatMap(({ name, expression }, index) => {
    const at = path.index(index);
    const errors: FieldError[] = [];
    if (name.trim() === '') errors.push(requiredField(at.child('name'), 'name is not specified'));
    else if (!isCelIdentifier(name)) {
      errors.push(invalidField(at.child('name'), name, 'must be a valid CEL identifier'));
    }
    if (expression.trim() === '') {
      return [...errors, requiredField(at.child('expression'), 'expression is not specified')];
    }
    // A variable may refer to those before it.
    const variableTypes = new Map([...(place.variableTypes ?? [])].slice(0, index));
    return [...errors, ...checkCelExpression(at.child('expression'), expression, { ...place, variableTypes })];
  });
}
