import { nextTurn } from '@coracle/base';
import type { Backend, BackendWrite } from '../backend.js';
import type { History } from './history.js';
import { decodeNumber, decodePosition, encodeNumber, logKey, type Position, settledKey, textKey } from './layout.js';
import { encodeRecord, type LogRecord } from './log-record.js';

/** The parts of the store that compaction needs. */
export interface CompactedStore {
  readonly backend: Backend;
  readonly history: History;
  /** Whether a write to the key is in progress. */
  isPending(key: string): boolean;
  /** Writes in order with transactions. */
  commit(writes: readonly BackendWrite[]): Promise<void>;
  readonly closed: boolean;
}

/** Number of cached keys with their newest record. */
const remembered = 10_000;

/** Number of records processed at a time, so that writers are not delayed. */
const chunk = 200;

const compactKey = textKey('m', 'compactRevision');
const sweptKey = textKey('m', 'sweptRevision');

export function readCompactRevision(backend: Backend): number {
  return readNumber(backend, compactKey);
}

/** Records a compaction. From then on older revisions are rejected, though their records still exist. */
export function compactionMark(revision: number): BackendWrite {
  return { key: compactKey, value: encodeNumber(revision) };
}

/** A running compaction. */
interface Sweep {
  readonly store: CompactedStore;
  readonly revision: number;
  /** Up to here others have swept: what they left is settled, or in the log if an older version left it. */
  readonly swept: number;
  /** By key, at which revision its newest record was written that counts. Found once for many records. */
  readonly newest: Map<string, number | undefined>;
}

/**
 * Empties the log before `revision`: of its records, the ones that are the newest of their key at that revision are
 * settled; all that others replaced by then go, and deletions. It stores its progress, so that the next compaction
 * completes an interrupted one.
 */
export async function sweep(store: CompactedStore, revision: number): Promise<void> {
  const swept = readNumber(store.backend, sweptKey);
  const state: Sweep = { store, revision, swept, newest: new Map() };
  let from = swept + 1;
  while (from <= revision && !store.closed) {
    const writes: BackendWrite[] = [];
    from = sweepChunk(state, from, writes);
    // Events of the revision itself stay in the log, for a watch from that revision.
    writes.push({ key: sweptKey, value: encodeNumber(Math.min(from, revision) - 1) });
    await store.commit(writes);
    await nextTurn();
  }
}

/** Processes whole revisions from `from` on; returns the first unprocessed one. */
function sweepChunk(state: Sweep, from: number, writes: BackendWrite[]): number {
  const { store, revision, swept } = state;
  let read = 0;
  let last = from;
  for (const [position, record] of store.history.records(from, revision + 1)) {
    if (read++ >= chunk && position.revision > last) return position.revision;
    last = position.revision;
    const { previous, put } = record;
    // Records between are on their way out as well, and would not be settled.
    if (previous && previous.revision <= swept) writes.push({ key: settledKey(previous) }, { key: logKey(previous) });
    if (position.revision === revision) continue;
    writes.push({ key: logKey(position) });
    if (!put) removeDeletion(store, { position, record, writes });
    else if (newestOf(record.key, state) === position.revision)
      writes.push({ key: settledKey(position), value: encodeRecord({ ...record, previous: undefined }) });
  }
  return revision + 1;
}

function newestOf(key: string, { store, revision, newest }: Sweep): number | undefined {
  if (!newest.has(key)) {
    if (newest.size >= remembered) newest.clear();
    newest.set(key, store.history.newestAt(key, revision)?.revision);
  }
  return newest.get(key);
}

function removeDeletion(
  store: CompactedStore,
  { position, record, writes }: { position: Position; record: LogRecord; writes: BackendWrite[] },
): void {
  const indexKey = textKey('d', record.key);
  // A write in progress has already replaced the entry of this key.
  if (store.isPending(record.key)) return;
  const bytes = store.backend.get(indexKey);
  if (bytes && decodePosition(bytes).revision === position.revision) writes.push({ key: indexKey });
}

function readNumber(backend: Backend, key: Uint8Array): number {
  const bytes = backend.get(key);
  return bytes ? decodeNumber(bytes) : 0;
}
