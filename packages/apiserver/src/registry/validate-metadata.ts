import { type FieldError, type KubeObject, validateObjectMeta, validateObjectMetaUpdate } from '@coracle/apimachinery';
import type { StoredResource } from './served-resource.js';

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
  { rules }: StoredResource,
  object: KubeObject,
  previous: KubeObject,
): FieldError[] {
  return validateObjectMetaUpdate(object.metadata, previous.metadata, { anyFinalizer: rules.anyFinalizer ?? false });
}
