import type { Event as CoreEvent } from '../../generated/types/core-v1.js';
import type { Event } from '../../generated/types/events-v1.js';

/** The two groups serve one object under different names. */
const renamedFields: readonly (readonly [coreName: string, name: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];
const toCore = new Map(renamedFields.map(([coreName, name]) => [name, coreName]));
const fromCore = new Map(renamedFields);

export function toCoreEvent(event: Event): CoreEvent {
  return { ...renamed<CoreEvent>(event, toCore), apiVersion: 'v1', kind: 'Event' };
}

export function fromCoreEvent(event: CoreEvent): Event {
  return { ...renamed<Event>(event, fromCore), apiVersion: 'events.k8s.io/v1', kind: 'Event' };
}

function renamed<T>(object: object, names: ReadonlyMap<string, string>): T {
  const entries = Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]);
  // With its fields renamed, an event of one group has the shape of the other's.
  return Object.fromEntries(entries) as T;
}
