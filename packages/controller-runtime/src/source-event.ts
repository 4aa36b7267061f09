import type { KubeObject } from '@coracle/apimachinery';
import type { InformerEvent } from '@coracle/client';

/** An event of a source: a change that an informer observed, or an event outside the cluster for an object. */
export type SourceEvent<T> = InformerEvent<T> | { readonly type: 'generic'; readonly object: T };

/** The object has not changed: it is in the initial list, or this is a resync. */
export function isRepetition<T extends KubeObject>(event: SourceEvent<T>): boolean {
  if (event.type === 'added') return event.initial;
  return event.type === 'updated' && event.object.metadata.resourceVersion === event.previous.metadata.resourceVersion;
}
