import { duplicateField, type FieldError, FieldPath, isDns1123Label, requiredField } from '@coracle/apimachinery';
import type { Workload } from '../../generated/types/scheduling-v1alpha2.js';
import {
  checkImmutable,
  checkItems,
  checkMaxItems,
  checkRequiredValue,
  concat,
} from '../../validation/field-checks.js';
import { checkTypedLocalReference } from '../../validation/typed-local-reference.js';
import { checkGroup } from './pod-group.validation.js';

const specPath = FieldPath.of('spec');
const templatesPath = specPath.child('podGroupTemplates');
const maxTemplates = 8;

/** The groups of pods that make up a workload. */
export function validateWorkload({ spec }: Workload): FieldError[] {
  const { controllerRef } = spec;
  const templates = spec.podGroupTemplates ?? [];
  const names = templates.map(({ name }) => name);
  return concat(
    controllerRef ? checkTypedLocalReference(specPath.child('controllerRef'), controllerRef) : [],
    templates.length === 0 ? [requiredField(templatesPath)] : checkMaxItems(templatesPath, templates, maxTemplates),
    checkItems(templatesPath, templates, (path, template, index) =>
      concat(
        checkRequiredValue(path.child('name'), template.name, isDns1123Label),
        names.indexOf(template.name) < index ? [duplicateField(path, { name: template.name })] : [],
        checkGroup(path, template),
      ),
    ),
  );
}

/** The controller may come later than the workload; groups are made from templates that stay as they are. */
export function validateWorkloadUpdate(workload: Workload, previous: Workload): FieldError[] {
  const { controllerRef } = previous.spec;
  return concat(
    validateWorkload(workload),
    controllerRef ? checkImmutable(specPath.child('controllerRef'), workload.spec.controllerRef, controllerRef) : [],
    checkImmutable(templatesPath, workload.spec.podGroupTemplates, previous.spec.podGroupTemplates),
  );
}
