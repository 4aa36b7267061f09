import { schemaOfKind } from '@coracle/api';
import { formatTime, type KubeObject, parseApiVersion, trackUpdate } from '@coracle/apimachinery';
import { setManagedFields } from './managed-fields.js';
import type { SubresourceCall } from './subresource.js';

/** Objects that are never stored still have managed fields in the response. */
export function trackReview<T extends KubeObject>({ parts, write }: SubresourceCall<'clock'>, review: T): T {
  const object = { ...review, metadata: { ...review.metadata } };
  const { apiVersion = '', kind = '' } = review;
  const groupVersion = parseApiVersion(apiVersion);
  const schema = (groupVersion && schemaOfKind({ ...groupVersion, kind })) ?? write.resource.schema;
  const { subresource, options } = write;
  const update = { schema, apiVersion, subresource, manager: options.fieldManager, now: formatTime(parts.clock.now()) };
  setManagedFields(object, trackUpdate({ ...update, live: undefined, object }));
  return object;
}
