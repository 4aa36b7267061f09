import {
  byteLength,
  type FieldError,
  FieldPath,
  forbiddenField,
  isDns1123Label,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import type { IngressClass, IngressClassParametersReference } from '../../generated/types/networking-v1.js';
import { checkDomainPrefixedPath } from '../../validation/domain-prefixed-path.js';
import { checkImmutable, checkSupported, checkValue } from '../../validation/field-checks.js';
import { checkTypedLocalReference } from '../../validation/typed-local-reference.js';

const controllerPath = FieldPath.of('spec', 'controller');
const maxControllerBytes = 250;

export function validateIngressClass({ spec = {} }: IngressClass): FieldError[] {
  const tooLong = byteLength(spec.controller ?? '') > maxControllerBytes;
  return [
    ...(tooLong ? [tooLongField(controllerPath, maxControllerBytes)] : []),
    ...checkDomainPrefixedPath(controllerPath, spec.controller),
    ...(spec.parameters ? checkParameters(FieldPath.of('spec', 'parameters'), spec.parameters) : []),
  ];
}

export function validateIngressClassUpdate(ingressClass: IngressClass, previous: IngressClass): FieldError[] {
  const controller = ingressClass.spec?.controller ?? '';
  return [
    ...checkImmutable(controllerPath, controller, previous.spec?.controller ?? ''),
    ...validateIngressClass(ingressClass),
  ];
}

function checkParameters(path: FieldPath, parameters: IngressClassParametersReference): FieldError[] {
  const { scope, namespace } = parameters;
  const errors = checkTypedLocalReference(path, parameters);
  if (scope === undefined) return [...errors, requiredField(path.child('scope'))];
  errors.push(...checkSupported(path.child('scope'), scope, ['Cluster', 'Namespace']));
  const field = path.child('namespace');
  if (scope === 'Namespace' && namespace === undefined) {
    errors.push(requiredField(field, "`parameters.scope` is set to 'Namespace'"));
  }
  if (scope === 'Namespace' && namespace !== undefined) errors.push(...checkValue(field, namespace, isDns1123Label));
  if (scope === 'Cluster' && namespace !== undefined) {
    errors.push(forbiddenField(field, "`parameters.scope` is set to 'Cluster'"));
  }
  return errors;
}
