import type { Millis } from '@coracle/base';
import type { Revision } from '@coracle/store';
import type { StoredObject } from '../storage/stored-object.js';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Size of an event besides the object, in bytes. */
const eventOverhead = 400;
/** Minimum size of objects that are packed. Packing one takes some ten microseconds. */
const largeBytes = 16 * 1024;

/** One change of one object, shared by all of its watches. Its encoding is computed once for each form. */
export class CacheEvent {
  readonly revision: Revision;
  readonly key: string;
  /** Absent when the object was deleted. */
  readonly current: StoredObject | undefined;
  /** Absent when the object is new. */
  readonly previous: StoredObject | undefined;
  readonly recordedAt: Millis;
  /** Approximate size in bytes of this event alone: the previous state belongs to the event before. */
  readonly size: number;
  #deleted: StoredObject | undefined;
  #forms: Map<string, unknown> | undefined;

  constructor(parts: {
    revision: Revision;
    key: string;
    current: StoredObject | undefined;
    previous: StoredObject | undefined;
    recordedAt: Millis;
  }) {
    this.revision = parts.revision;
    this.key = parts.key;
    this.current = parts.current;
    this.previous = parts.previous;
    this.recordedAt = parts.recordedAt;
    this.size = eventOverhead + ((parts.current ?? parts.previous)?.size ?? 0);
  }

  /**
   * The change for a watcher with a selector: an object that begins to match is added, one that ceases to match is
   * deleted. `undefined` if neither state matches.
   */
  typeFor(selects: (object: StoredObject) => boolean): ChangeType | undefined {
    const now = this.current !== undefined && selects(this.current);
    const before = this.previous !== undefined && selects(this.previous);
    if (now) return before ? 'MODIFIED' : 'ADDED';
    return before ? 'DELETED' : undefined;
  }

  /** The object to send: for a deletion its last state under the revision of the deletion. */
  objectFor(type: ChangeType): StoredObject {
    if (type !== 'DELETED') return this.current as StoredObject;
    this.#deleted ??= (this.previous as StoredObject).atRevision(this.revision);
    return this.#deleted;
  }

  /** The encoded event in one form, encoded on first use. */
  form<T>(name: string, type: ChangeType, make: (type: ChangeType, event: CacheEvent) => T): T {
    this.#forms ??= new Map();
    let form = this.#forms.get(name);
    if (form === undefined) {
      form = make(type, this);
      this.#forms.set(name, form);
    }
    return form as T;
  }

  /** Drops the encoded forms: current watchers have received them, and later watchers are few. */
  shrink(): void {
    this.#forms = undefined;
    this.#deleted = undefined;
    if (!this.previous) return;
    if (this.previous.size >= largeBytes) this.previous.pack();
    else this.previous.shrink();
  }
}
