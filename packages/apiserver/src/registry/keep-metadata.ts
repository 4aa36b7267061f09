import type { KubeObject } from '@coracle/apimachinery';

/** The fields of the metadata that clients set. */
export const clientMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

export type ClientMetadata = (typeof clientMetadata)[number];

/**
 * Keeps the metadata that clients set, for subresources: a user who may write a part of the object may not write its
 * metadata.
 */
export function keepMetadata(
  { metadata }: KubeObject,
  { metadata: before }: KubeObject,
  fields: readonly ClientMetadata[] = clientMetadata,
): void {
  for (const field of fields) {
    if (before[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: before[field] });
  }
}
