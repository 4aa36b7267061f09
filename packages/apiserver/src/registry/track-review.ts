import type { KubeObject } from '@coracle/apimachinery';
import { andThen, type MaybePromise } from '@coracle/base';
import { trackManagedFields } from './managed-fields.js';
import type { SubresourceCall } from './subresource.js';

/** What is never stored has managed fields in its answer all the same. */
export function trackReview<T extends KubeObject>({ parts, write }: SubresourceCall, review: T): MaybePromise<T> {
  const object = { ...review, metadata: { ...review.metadata } };
  return andThen(trackManagedFields(parts.clock, write, { object, previous: undefined }), () => object);
}
