import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isQualifiedName,
  requiredField,
} from '@coracle/apimachinery';
import type {
  LocalSubjectAccessReview,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
} from '../../generated/types/authorization-v1.js';
import { checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const specPath = FieldPath.of('spec');

export function validateSelfSubjectAccessReview({ spec }: SelfSubjectAccessReview): FieldError[] {
  return [...checkWhat(spec ?? {}), ...checkAttributes(spec?.resourceAttributes)];
}

export function validateSubjectAccessReview({ spec }: SubjectAccessReview): FieldError[] {
  const errors = checkWhat(spec ?? {});
  if (!spec?.user && !spec?.groups?.length) {
    const detail = 'at least one of user or group must be specified';
    errors.push(invalidField(specPath.child('user'), spec?.user ?? '', detail));
  }
  return [...errors, ...checkAttributes(spec?.resourceAttributes)];
}

export function validateLocalSubjectAccessReview(review: LocalSubjectAccessReview): FieldError[] {
  const errors = validateSubjectAccessReview(review);
  const { nonResourceAttributes } = review.spec ?? {};
  if (!nonResourceAttributes) return errors;
  const shown = goValue('authorization-v1/NonResourceAttributes', nonResourceAttributes);
  const detail = 'disallowed on this kind of request';
  return [...errors, invalidField(specPath.child('nonResourceAttributes'), shown, detail)];
}

function checkWhat({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    const shown = goValue('authorization-v1/NonResourceAttributes', nonResourceAttributes);
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [invalidField(specPath.child('nonResourceAttributes'), shown, detail)];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidField(specPath.child('resourceAttributes'), null, detail)];
}

function checkAttributes(attributes: ResourceAttributes | undefined): FieldError[] {
  const path = specPath.child('resourceAttributes');
  return (['fieldSelector', 'labelSelector'] as const).flatMap((field) => {
    const selector = attributes?.[field];
    return selector ? checkSelector(path.child(field), selector) : [];
  });
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[];
}

function checkSelector(path: FieldPath, { rawSelector, requirements = [] }: Selector): FieldError[] {
  if (rawSelector && requirements.length > 0) {
    const detail = 'may not specified at the same time as requirements';
    return [invalidField(path.child('rawSelector'), rawSelector, detail)];
  }
  if (rawSelector) return [];
  const field = path.child('requirements');
  if (requirements.length === 0) {
    return [requiredField(field, `when ${path} is specified, requirements or rawSelector is required`)];
  }
  return requirements.flatMap((one, index) => checkRequirement(field.index(index), one));
}

function checkRequirement(path: FieldPath, { key, operator, values = [] }: Requirement): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) errors.push(requiredField(path.child('values'), detail));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push(forbiddenField(path.child('values'), detail));
  } else errors.push(invalidField(path.child('operator'), operator, 'not a valid selector operator'));
  return [...errors, ...checkValue(path.child('key'), key, isQualifiedName)];
}
