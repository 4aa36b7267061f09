import type { KubeObject } from '@coracle/apimachinery';

/** The displayed fields of an event. */
export interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly involvedObject: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  readonly reportingComponent?: string;
}

/** When it happened last. */
export function timeOf({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: EventObject): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? '';
}

export function latestFirst(events: readonly EventObject[], most: number): readonly EventObject[] {
  return [...events]
    .map((event) => ({ event, at: Date.parse(timeOf(event)) || 0 }))
    .sort((a, b) => b.at - a.at)
    .slice(0, most)
    .map(({ event }) => event);
}

/** There are many events, and the rest of them is not shown. */
export function onlyShown(object: KubeObject): KubeObject {
  const { type, reason, message, count, series, lastTimestamp, eventTime, firstTimestamp, involvedObject } =
    object as EventObject;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const counted = count ?? series?.count;
  const result: EventObject = {
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
    },
    ...(type && { type }),
    ...(reason && { reason }),
    ...(message && { message: message.slice(0, 600) }),
    ...(counted && { count: counted }),
    ...(series && { series }),
    ...(lastTimestamp && { lastTimestamp }),
    ...(eventTime && { eventTime }),
    ...(firstTimestamp && { firstTimestamp }),
    involvedObject,
  };
  return result;
}
