import { nextTurn } from '@coracle/base';
import type { Backend, BackendWrite } from '../backend.js';
import type { History } from './history.js';
import { decodeNumber, decodePosition, encodeNumber, logKey, type Position, textKey } from './layout.js';
import type { LogRecord } from './log-record.js';

/** What compaction needs of the store that it works for. */
export interface CompactedStore {
  readonly backend: Backend;
  readonly history: History;
  /** Whether a write to the key is under way. */
  isPending(key: string): boolean;
  /** Writes in order with transactions. */
  commit(writes: readonly BackendWrite[]): Promise<void>;
  readonly closed: boolean;
}

/** Records looked at in one go, so that writers get their turn between. */
const chunk = 200;

const compactKey = textKey('m', 'compactRevision');
const sweptKey = textKey('m', 'sweptRevision');

export function readCompactRevision(backend: Backend): number {
  return readNumber(backend, compactKey);
}

/** Makes a compaction known. From then on older revisions are refused, though their records are still there. */
export function compactionMark(revision: number): BackendWrite {
  return { key: compactKey, value: encodeNumber(revision) };
}

/**
 * Removes records that no revision from `revision` on needs: each that another one replaced by then,
 * and deletions before it. It remembers how far it came, so one that was cut short is finished by the next.
 */
export async function sweep(store: CompactedStore, revision: number): Promise<void> {
  let from = readNumber(store.backend, sweptKey) + 1;
  while (from <= revision && !store.closed) {
    const writes: BackendWrite[] = [];
    from = sweepChunk(store, { from, revision, writes });
    // A deletion at the revision itself is kept, so that a watch from there is told of it: the next sweep takes it.
    writes.push({ key: sweptKey, value: encodeNumber(Math.min(from, revision) - 1) });
    await store.commit(writes);
    await nextTurn();
  }
}

/** Looks at whole revisions from `from` on; gives back the first that it has not looked at. */
function sweepChunk(
  store: CompactedStore,
  { from, revision, writes }: { from: number; revision: number; writes: BackendWrite[] },
): number {
  let read = 0;
  let last = from;
  for (const [position, record] of store.history.records(from, revision + 1)) {
    if (read++ >= chunk && position.revision > last) return position.revision;
    last = position.revision;
    if (record.previous) writes.push({ key: logKey(record.previous) });
    if (!record.put && position.revision < revision) removeDeletion(store, { position, record, writes });
  }
  return revision + 1;
}

function removeDeletion(
  store: CompactedStore,
  { position, record, writes }: { position: Position; record: LogRecord; writes: BackendWrite[] },
): void {
  writes.push({ key: logKey(position) });
  const indexKey = textKey('d', record.key);
  // A write under way to this key has already replaced the entry.
  if (store.isPending(record.key)) return;
  const bytes = store.backend.get(indexKey);
  if (bytes && decodePosition(bytes).revision === position.revision) writes.push({ key: indexKey });
}

function readNumber(backend: Backend, key: Uint8Array): number {
  const bytes = backend.get(key);
  return bytes ? decodeNumber(bytes) : 0;
}
