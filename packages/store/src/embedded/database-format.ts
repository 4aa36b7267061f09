import type { Backend } from '../backend.js';
import { StoreError } from '../store-error.js';
import { readCompactRevision } from './compaction.js';
import { decodeNumber, encodeNumber, logRange, positionOfLogKey, textKey } from './layout.js';

/** Incremented when the layout of the backend changes. Formats 2 and 3 are read unchanged. */
const currentFormat = 4;
const readableFormats: readonly number[] = [2, 3, currentFormat];
const formatKey = textKey('m', 'format');

/** The bytes before belong to the backend. */
const firstLetter = Uint8Array.of(0x20);

/** Before the first write, as in etcd: so that revision 0 can stand for "none". */
const firstRevision = 1;

/** Marks an empty backend as a store; fails with `Corrupt` on one that holds something else. */
export async function openDatabase(backend: Backend): Promise<void> {
  const format = backend.get(formatKey);
  if (!format) {
    for (const _ of backend.range(firstLetter, Uint8Array.of(0xff), { limit: 1 })) {
      throw new StoreError('Corrupt', 'the database holds data, but not that of a store');
    }
    await backend.write([{ key: formatKey, value: encodeNumber(currentFormat) }]);
    return;
  }
  const found = format.length === 8 ? decodeNumber(format) : 0;
  if (found === currentFormat) return;
  // From here on an older version would misread what is written.
  if (readableFormats.includes(found)) await backend.write([{ key: formatKey, value: encodeNumber(currentFormat) }]);
  else throw new StoreError('Corrupt', 'the database was written by another version and cannot be read by this one');
}

/** Marks the database as the current format, which older versions cannot read. */
export function readLastRevision(backend: Backend): number {
  const { start, end } = logRange(0, Number.MAX_SAFE_INTEGER);
  for (const [key] of backend.range(start, end, { limit: 1, reverse: true })) {
    return Math.max(positionOfLogKey(key).revision, readCompactRevision(backend));
  }
  return Math.max(firstRevision, readCompactRevision(backend));
}
