import type { Backend } from '../backend.js';
import type { KeyValue, ListResult, StoreEvent } from '../store.js';
import {
  type ByteRange,
  decodeLiveKey,
  decodePosition,
  type LiveKey,
  logKey,
  logRange,
  type Position,
  positionOfLiveKey,
  positionOfLogKey,
  settledKey,
  settledRange,
  textKey,
  textOf,
  textRange,
} from './layout.js';
import { decodeRecord, deletedKeyValue, keyValueOf, type LogRecord } from './log-record.js';

export interface HistoryQuery {
  readonly prefix: string;
  readonly startKey?: string | undefined;
  readonly limit?: number | undefined;
  readonly revision: number;
  /** Keys that were deleted after `revision` and may be missing in the index, if the caller knows them all. */
  readonly deletedSince?: Iterable<string> | undefined;
  /** Nothing was written after `revision`. */
  readonly latest: boolean;
}

/**
 * Reads the log and the key index of a backend.
 *
 * The log is a chain for each key: the index has its newest record, and each record has the position of the one
 * before it. So a read at an old revision walks back from the newest until it finds one old enough.
 */
export class History {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** The index entry of an existing key. */
  live(key: string): LiveKey | undefined {
    const bytes = this.#backend.get(textKey('k', key));
    return bytes && decodeLiveKey(bytes);
  }

  /** The deletion of a key that does not exist, while that record is kept. */
  deleted(key: string): Position | undefined {
    const bytes = this.#backend.get(textKey('d', key));
    return bytes && decodePosition(bytes);
  }

  /** The newest record of a key, whether it put or deleted it. */
  newest(key: string): Position | undefined {
    return this.live(key)?.position ?? this.deleted(key);
  }

  read(position: Position): LogRecord | undefined {
    const bytes = this.#backend.get(logKey(position)) ?? this.#backend.get(settledKey(position));
    return bytes && decodeRecord(bytes);
  }

  keyValue(position: Position | undefined): KeyValue | undefined {
    const record = position && this.read(position);
    return record && keyValueOf(record, position.revision);
  }

  /** The key's value as it was at `revision`. */
  get(key: string, revision: number): KeyValue | undefined {
    return this.keyValue(this.newestAt(key, revision));
  }

  /** The record of a key that was the newest at `revision`. */
  newestAt(key: string, revision: number): Position | undefined {
    return this.#at(this.newest(key), revision);
  }

  list(query: HistoryQuery): Omit<ListResult, 'revision'> {
    const { limit = Number.POSITIVE_INFINITY } = query;
    const items: KeyValue[] = [];
    let count = 0;
    for (const [key, position] of this.#positions(query)) {
      if (items.length === limit) {
        if (query.latest) return { items, count: count + this.#count(query.prefix, key), more: true };
        if (this.#exists(position, query.revision)) count++;
        continue;
      }
      const item = this.keyValue(this.#at(position, query.revision));
      if (!item) continue;
      items.push(item);
      count++;
    }
    return { items, count, more: count > items.length };
  }

  count(query: HistoryQuery): number {
    if (query.latest) return this.#count(query.prefix, '');
    let count = 0;
    for (const [, position] of this.#positions(query)) if (this.#exists(position, query.revision)) count++;
    return count;
  }

  /** Records of the log from one revision (included) up to another (left out), in order. */
  records(from: number, to: number): Generator<readonly [Position, LogRecord]> {
    return this.#recordsIn(logRange(from, to));
  }

  /** The remaining records of such revisions, settled or in the log, in no order. */
  *remaining(from: number, to: number): Generator<readonly [Position, LogRecord]> {
    yield* this.#recordsIn(settledRange(from, to));
    yield* this.#recordsIn(logRange(from, to));
  }

  *#recordsIn({ start, end }: ByteRange): Generator<readonly [Position, LogRecord]> {
    for (const [key, value] of this.#backend.range(start, end)) yield [positionOfLogKey(key), decodeRecord(value)];
  }

  /** A record as an event for watchers. */
  event({ revision }: Position, record: LogRecord): StoreEvent {
    const keyValue = keyValueOf(record, revision);
    return keyValue ? { type: 'put', keyValue } : { type: 'delete', keyValue: deletedKeyValue(record.key, revision) };
  }

  #count(prefix: string, startKey: string): number {
    const { start, end } = textRange('k', prefix, startKey);
    return this.#backend.count(start, end);
  }

  /** The newest record of a key that was put last: an index entry no newer than the revision needs no look into the log. */
  #exists(position: Position, revision: number): boolean {
    return position.revision <= revision || this.keyValue(this.#at(position, revision)) !== undefined;
  }

  /** Walks back to the record that was the newest at `revision`. */
  #at(newest: Position | undefined, revision: number): Position | undefined {
    let position = newest;
    while (position && position.revision > revision) position = this.read(position)?.previous;
    return position;
  }

  /** Every key of the query that exists, or did at its revision, in order, with its newest record. */
  *#positions(query: HistoryQuery): Generator<readonly [string, Position]> {
    const gone = query.latest ? [] : this.#gone(query);
    let next = 0;
    const { start, end } = textRange('k', query.prefix, query.startKey);
    for (const [bytes, value] of this.#backend.range(start, end)) {
      const key = textOf(bytes);
      for (; next < gone.length && gone[next]![0] < key; next++) yield gone[next]!;
      if (gone[next]?.[0] === key) next++;
      yield [key, positionOfLiveKey(value)];
    }
    yield* gone.slice(next);
  }

  /** Keys that no longer exist, or may not, and were deleted after the query's revision. */
  #gone({ prefix, startKey = '', revision, deletedSince }: HistoryQuery): (readonly [string, Position])[] {
    const keys = deletedSince ?? this.#deleted(prefix, startKey);
    const gone: (readonly [string, Position])[] = [];
    for (const key of keys) {
      if (!key.startsWith(prefix) || key < startKey) continue;
      const position = this.newest(key);
      if (position && position.revision > revision) gone.push([key, position]);
    }
    return gone.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  *#deleted(prefix: string, startKey: string): Generator<string> {
    const { start, end } = textRange('d', prefix, startKey);
    for (const [key] of this.#backend.range(start, end)) yield textOf(key);
  }
}
