import type { KubeObject } from '@coracle/apimachinery';

const ofClients = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** Keeps what clients say about an object, for endpoints that are about a part of it: who may write that part may not. */
export function keepMetadata({ metadata }: KubeObject, { metadata: before }: KubeObject): void {
  for (const field of ofClients) {
    if (before[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: before[field] });
  }
}
