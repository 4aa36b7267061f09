import type { KubeObject } from '@coracle/apimachinery';

/** The fields of the metadata that clients set. */
export const clientMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

export type ClientMetadata = (typeof clientMetadata)[number];

/** Keeps what clients say about an object, for endpoints that are about a part of it: who may write that part may not. */
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
