import { type FieldError, FieldPath, forbiddenField, validateAnnotations, validateLabels } from '@coracle/apimachinery';
import type { PodTemplate, PodTemplateSpec } from '../../generated/types/core-v1.js';
import { validatePodAnnotations, validateProfilesMatch } from './pod-annotations.validation.js';
import { validatePodSpec } from './pod-spec.validation.js';

export function validatePodTemplate({ template }: PodTemplate): FieldError[] {
  return validatePodTemplateSpec(FieldPath.of('template'), template ?? {});
}

/** A pod to be made later: its metadata has labels and annotations only, and it has no ephemeral containers. */
export function validatePodTemplateSpec(path: FieldPath, template: PodTemplateSpec): FieldError[] {
  const spec = template.spec ?? { containers: [] };
  const ephemeralPath = path.child('spec', 'ephemeralContainers');
  return [
    ...validateLabels(template.metadata?.labels, path.child('labels')),
    ...validateAnnotations(template.metadata?.annotations, path.child('annotations')),
    ...validatePodAnnotations(path.child('annotations'), template.metadata?.annotations, spec),
    ...validatePodSpec(path.child('spec'), spec),
    ...validateProfilesMatch(path.child('spec'), template.metadata, spec),
    ...(spec.ephemeralContainers?.length
      ? [forbiddenField(ephemeralPath, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}
