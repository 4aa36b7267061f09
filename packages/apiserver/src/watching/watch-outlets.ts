import type { ByteSink, KubeObject, StatusError, ValueSink } from '@coracle/apimachinery';
import type { Revision } from '@coracle/store';
import { inServedVersion } from '../conversion/conversion.js';
import { ChunkBuilder } from '../negotiation/concat.js';
import { partialOf } from '../negotiation/partial-object.js';
import type { ServedResource } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { CacheEvent, ChangeType } from './cache-event.js';
import { encodeBookmark, encodeErrorEvent, encodeEvent, type Target } from './encode-event.js';
import type { EventMeter } from './sent-events.js';
import type { EventOutlet } from './watch-session.js';

/** Minimum size of objects that are delivered in part if only their metadata is requested. */
const largeBytes = 4096;

/** Sends encoded events. Each event is encoded once for all watchers of the same form. */
export function byteOutlet(target: Target, sink: ByteSink, meter: EventMeter): EventOutlet {
  const { resource, form, include } = target;
  const name = `${form.name} ${form.as === 'table' ? include : ''} ${resource.apiVersion}`;
  const names = { ADDED: `${name} ADDED`, MODIFIED: `${name} MODIFIED`, DELETED: `${name} DELETED` };
  let isFirst = form.as === 'table';
  const encode = (type: ChangeType, event: CacheEvent) => encodeEvent(target, type, event.objectFor(type));
  const write = (bytes: Uint8Array) => {
    meter.sent(bytes.length);
    return sink.write(bytes);
  };
  return {
    send: (type, event) => {
      if (!isFirst) return write(event.form(names[type], type, encode));
      isFirst = false;
      return write(encodeEvent(target, type, event.objectFor(type), true));
    },
    *sendInitial(objects) {
      let portion = new Portion(sink);
      for (const object of objects) {
        const bytes = encodeEvent(target, 'ADDED', object, isFirst);
        meter.sent(bytes.length);
        portion.add(bytes);
        isFirst = false;
        if (!portion.isFull) continue;
        yield portion.send();
        portion = new Portion(sink);
      }
      yield portion.send();
    },
    sendBookmark: (revision, annotations) => write(encodeBookmark(target, bookmark(resource, revision, annotations))),
    sendError: (error) => void sink.write(encodeErrorEvent(target, error.status)),
    end: () => sink.end(),
  };
}

/** Slightly less than the size of a chunk. */
const portionBytes = 200 * 1024;

/** Number of events that are sent together. Further ones are not encoded before the client is ready. */
class Portion {
  readonly #sink: ByteSink;
  readonly #builder = new ChunkBuilder();
  #bytes = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  get isFull(): boolean {
    return this.#bytes >= portionBytes;
  }

  add(event: Uint8Array): void {
    this.#builder.add(event);
    this.#bytes += event.length;
  }

  /** Reports whether the receiver keeps up. */
  send(): boolean {
    let keepsUp = true;
    for (const chunk of this.#builder.finish()) keepsUp = this.#sink.write(chunk);
    return keepsUp;
  }
}

/**
 * Delivers shared objects in process, in the next microtask: events are created while the store reports a commit, and
 * other code must not run inside that. They are still delivered before the writer's promise resolves.
 */
export function valueOutlet(
  { resource, form }: Pick<Target, 'resource' | 'form'>,
  sink: ValueSink,
  meter: EventMeter,
): EventOutlet {
  const later = new LaterSink(sink);
  const write = (event: unknown): true => {
    meter.sent(0);
    later.write(event);
    return true;
  };
  const wantsMetadata = form.as === 'partial';
  const name = `value ${wantsMetadata ? 'metadata ' : ''}${resource.apiVersion}`;
  const names = { ADDED: `${name} ADDED`, MODIFIED: `${name} MODIFIED`, DELETED: `${name} DELETED` };
  const handedOver = (stored: StoredObject): unknown => {
    // Small objects are in memory anyway; a large one is not kept in memory for its metadata.
    if (wantsMetadata && stored.size > largeBytes) return partialOf(stored.glance(), form.asVersion);
    return inServedVersion(resource, stored.object);
  };
  const make = (type: ChangeType, event: CacheEvent) => ({ type, object: handedOver(event.objectFor(type)) });
  return {
    send: (type, event) => write(event.form(names[type], type, make)),
    *sendInitial(objects) {
      for (const stored of objects) yield write({ type: 'ADDED', object: handedOver(stored) });
    },
    sendBookmark: (revision, annotations) =>
      write({ type: 'BOOKMARK', object: bookmark(resource, revision, annotations) }),
    sendError: (error: StatusError) => void write({ type: 'ERROR', object: error.status }),
    end: () => later.end(),
  };
}

/** Schedules the delivery in the next microtask. */
const flushed: Promise<void> = Promise.resolve();

/** Passes values on in a microtask, in order. A receiver that throws gets no more, and its watch ends. */
class LaterSink {
  readonly #sink: ValueSink;
  #waiting: unknown[] = [];
  #isScheduled = false;
  #isOver = false;

  constructor(sink: ValueSink) {
    this.#sink = sink;
  }

  write(value: unknown): void {
    this.#waiting.push(value);
    this.#schedule();
  }

  end(): void {
    this.#isOver = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // `queueMicrotask` would create an asynchronous resource for each call.
    void flushed.then(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const values = this.#waiting;
    this.#waiting = [];
    try {
      for (const value of values) this.#sink.write(value);
    } catch {
      this.#isOver = true;
    }
    if (this.#isOver) this.#sink.end();
  }
}

function bookmark(
  { info, apiVersion }: ServedResource,
  revision: Revision,
  annotations: Readonly<Record<string, string>> | undefined,
): KubeObject {
  const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) };
  return { kind: info.kind, apiVersion, metadata };
}
