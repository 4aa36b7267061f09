import { convertForEncoding, type InVersion } from '../conversion/converted-objects.js';
import { type ServedResource, withoutConversion } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { CacheEvent, type ChangeType } from './cache-event.js';
import type { Selection } from './selection.js';
import type { EventOutlet } from './watch-session.js';

/** Number of objects that are converted together when a watch begins with many. */
const portionSize = 500;

/**
 * The outlet for the events of a resource. With remote conversion, events are converted first; all others go directly
 * to the outlet of `open`.
 */
export function convertingOutlet(
  resource: ServedResource,
  { matches, matchesServed }: Pick<Selection, 'matches' | 'matchesServed'>,
  open: (direct: ServedResource) => EventOutlet,
): EventOutlet {
  if (resource.conversion?.kind !== 'remote') return open(resource);
  const outlet = open(withoutConversion(resource));
  const selects = matchesServed && ((object: StoredObject) => matches(object) && matchesServed(object));
  return {
    ...outlet,
    send: async (type, event) =>
      selects
        ? await sendSelected(outlet, await withBothStates(resource, event), selects)
        : await outlet.send(type, await convertedEvent(resource, type, event)),
    *sendInitial(objects) {
      for (let at = 0; at < objects.length; at += portionSize)
        yield sendPortion(outlet, { resource, objects: objects.slice(at, at + portionSize), selects });
    },
  };
}

/** The type of the event is decided after both states are converted. */
async function sendSelected(
  outlet: EventOutlet,
  event: CacheEvent,
  selects: (object: StoredObject) => boolean,
): Promise<boolean> {
  const type = event.typeFor(selects);
  return type === undefined || (await outlet.send(type, event));
}

async function withBothStates(resource: ServedResource, event: CacheEvent): Promise<CacheEvent> {
  const convert = async (object: StoredObject | undefined) =>
    object && (await convertForEncoding(resource, [object]))?.items[0];
  const { revision, key, recordedAt } = event;
  const [current, previous] = await Promise.all([convert(event.current), convert(event.previous)]);
  return new CacheEvent({ revision, key, recordedAt, current, previous });
}

/** One event for all watchers of the version, so that it is encoded once. */
async function convertedEvent(resource: ServedResource, type: ChangeType, event: CacheEvent): Promise<CacheEvent> {
  const { items } = (await convertForEncoding(resource, [event.objectFor(type)])) as InVersion;
  const object = items[0] as StoredObject;
  return object.form(`event ${type}`, () => {
    const { revision, key, recordedAt } = event;
    const objects =
      type === 'DELETED' ? { current: undefined, previous: object } : { current: object, previous: undefined };
    return new CacheEvent({ revision, key, recordedAt, ...objects });
  });
}

interface Portion {
  readonly resource: ServedResource;
  readonly objects: readonly StoredObject[];
  readonly selects: ((object: StoredObject) => boolean) | undefined;
}

async function sendPortion(outlet: EventOutlet, { resource, objects, selects }: Portion): Promise<boolean> {
  const { items } = (await convertForEncoding(resource, objects)) as InVersion;
  let keepsUp = true;
  for (const step of outlet.sendInitial(selects ? items.filter(selects) : items)) keepsUp = await step;
  return keepsUp;
}
