import { type FieldError, type KubeObject, validateObjectMeta, validateObjectMetaUpdate } from '@coracle/apimachinery';
import type { ServedResource, StoredResource } from '../served-resource.js';
import { asOftenAsReported } from './metadata-checks.js';

/** Validates the metadata of every new object. */
export function validateMetadata({ namespaced, rules }: StoredResource, { metadata }: KubeObject): FieldError[] {
  return validateObjectMeta(metadata, {
    namespaced,
    validateName: rules.validateName,
    anyFinalizer: rules.anyFinalizer ?? false,
  });
}

/** Validates the metadata of an updated object against the previous one. */
export function validateMetadataUpdate(
  { apiVersion, stored: { kind, rules } }: ServedResource,
  object: KubeObject,
  previous: KubeObject,
): FieldError[] {
  const anyFinalizer = rules.anyFinalizer ?? false;
  const errors = validateObjectMetaUpdate(object.metadata, previous.metadata, { anyFinalizer });
  return errors.length === 0 ? errors : asOftenAsReported(errors, { kind, apiVersion });
}
