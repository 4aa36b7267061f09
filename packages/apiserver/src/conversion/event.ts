import type { KubeObject } from '@coracle/apimachinery';
import type { Conversion } from '../registry/served-resource.js';

/** Fields of `events.k8s.io/v1` → those of the core group that hold the same. */
const names: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** Always present in `v1`, and only there if given in the other. */
const requiredInCore: Readonly<Record<string, unknown>> = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  reportingComponent: '',
  reportingInstance: '',
};
const requiredInEvents: Readonly<Record<string, unknown>> = {
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
  regarding: {},
};

/** Events of `events.k8s.io` are stored as those of the core group, and seen through both. */
export const eventConversion: Conversion = {
  toStored: (object) => rename(object, new Map(names), { apiVersion: 'v1', required: requiredInCore }),
  fromStored: (object) =>
    rename(object, new Map(names.map(([event, core]) => [core, event])), {
      apiVersion: 'events.k8s.io/v1',
      required: requiredInEvents,
    }),
};

function rename(
  object: KubeObject,
  renamed: ReadonlyMap<string, string>,
  { apiVersion, required }: { readonly apiVersion: string; readonly required: Readonly<Record<string, unknown>> },
): KubeObject {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) result[renamed.get(name) ?? name] = value;
  for (const [name, value] of Object.entries(required)) result[name] ??= value;
  return { ...result, kind: 'Event', apiVersion, metadata: { ...object.metadata } };
}
