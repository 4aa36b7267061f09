import type { KubeObject } from '@coracle/apimachinery';
import type { InformerEvent } from '@coracle/client';

/** What a source tells: a change that an informer saw, or that something outside the cluster happened to an object. */
export type SourceEvent<T> = InformerEvent<T> | { readonly type: 'generic'; readonly object: T };

/** Nothing happened to the object: it was there at the start, or this is a resync. */
export function isRepetition<T extends KubeObject>(event: SourceEvent<T>): boolean {
  if (event.type === 'added') return event.initial;
  return event.type === 'updated' && event.object.metadata.resourceVersion === event.previous.metadata.resourceVersion;
}
