import { type FieldError, type KubeObject, validateObjectMeta, validateObjectMetaUpdate } from '@coracle/apimachinery';
import type { ServedResource, StoredResource } from '../served-resource.js';
import { asOftenAsReported } from './metadata-checks.js';

/** What must hold for the metadata of every new object. */
export function validateMetadata({ namespaced, rules }: StoredResource, { metadata }: KubeObject): FieldError[] {
  return validateObjectMeta(metadata, {
    namespaced,
    validateName: rules.validateName,
    anyFinalizer: rules.anyFinalizer ?? false,
  });
}

/** What must hold between the metadata of an object and its successor. */
export function validateMetadataUpdate(
  { apiVersion, stored: { kind, rules } }: ServedResource,
  object: KubeObject,
  previous: KubeObject,
): FieldError[] {
  const anyFinalizer = rules.anyFinalizer ?? false;
  const errors = validateObjectMetaUpdate(object.metadata, previous.metadata, { anyFinalizer });
  return errors.length === 0 ? errors : asOftenAsReported(errors, { kind, apiVersion });
}
