import { convertForEncoding, type InVersion } from '../conversion/converted-objects.js';
import { type ServedResource, withoutConversion } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { CacheEvent, type ChangeType } from './cache-event.js';
import type { EventOutlet } from './watch-session.js';

/** Objects that are converted together when a watch begins with many. */
const portionSize = 500;

/**
 * Where the events of a resource go: for one whose objects somebody else converts, through that conversion first. All
 * others get what `open` makes.
 */
export function convertingOutlet(resource: ServedResource, open: (direct: ServedResource) => EventOutlet): EventOutlet {
  if (resource.conversion?.kind !== 'remote') return open(resource);
  const outlet = open(withoutConversion(resource));
  return {
    ...outlet,
    send: async (type, event) => await outlet.send(type, await convertedEvent(resource, type, event)),
    *sendInitial(objects) {
      for (let at = 0; at < objects.length; at += portionSize)
        yield sendPortion(outlet, resource, objects.slice(at, at + portionSize));
    },
  };
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

async function sendPortion(
  outlet: EventOutlet,
  resource: ServedResource,
  objects: readonly StoredObject[],
): Promise<boolean> {
  const { items } = (await convertForEncoding(resource, objects)) as InVersion;
  let keepsUp = true;
  for (const step of outlet.sendInitial(items)) keepsUp = await step;
  return keepsUp;
}
