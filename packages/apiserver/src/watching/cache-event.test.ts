import { expect, test } from 'vitest';
import { ObjectFormat } from '../storage/object-format.js';
import { StoredObject } from '../storage/stored-object.js';
import { CacheEvent } from './cache-event.js';

const format = new ObjectFormat('v1', 'ConfigMap');

function stored(revision: number, length: number): StoredObject {
  const object = { metadata: { name: 'a' }, data: { text: 'x'.repeat(length) } };
  const made = StoredObject.fromObject('k', format, object);
  made.settle(revision);
  return made;
}

test.each([
  ['packs a large state', 20_000, true],
  ['keeps the bytes of a small state', 200, false],
])('an event that has been sent %s that it replaced', (_what, length, packs) => {
  const previous = stored(1, length);
  const current = stored(2, length);
  const { bytes } = previous;
  const event = new CacheEvent({ revision: 2, key: 'k', current, previous, recordedAt: 0 });
  event.shrink();
  expect(previous.bytes === bytes).toBe(!packs);
  expect(previous.bytes).toEqual(bytes);
  const currentBytes = current.bytes;
  expect(current.bytes).toBe(currentBytes);
});
