import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  validateAnnotations,
  validateLabels,
} from '@coracle/apimachinery';
import type { PersistentVolumeClaimTemplate } from '../../generated/types/core-v1.js';
import { checkPersistentVolumeClaimSpec } from './persistent-volume-claim.validation.js';

/** A claim made from a template gets its labels and annotations from it, and no other metadata. */
export function validateClaimTemplate(
  path: FieldPath,
  { metadata, spec }: PersistentVolumeClaimTemplate,
): FieldError[] {
  const metaPath = path.child('metadata');
  const others = Object.entries(metadata ?? {}).filter(
    ([field, value]) => field !== 'labels' && field !== 'annotations' && value !== null,
  );
  return [
    ...validateAnnotations(metadata?.annotations, metaPath.child('annotations')),
    ...validateLabels(metadata?.labels, metaPath.child('labels')),
    ...others.map(([field]) => forbiddenField(metaPath.child(field), 'cannot be set')),
    ...checkPersistentVolumeClaimSpec(path.child('spec'), spec ?? {}),
  ];
}
