import { type corev1, type eventsv1, objectReference, refs } from '@coracle/api';
import { formatMicroTime, formatTime, isDns1123Subdomain, isNotFound, type ObjectMeta } from '@coracle/apimachinery';
import { type Clock, every, type Millis, type Random, randomInt, randomUuid } from '@coracle/base';
import type { Client } from '../client.js';
import { BackgroundWriter, type BackgroundWriterOptions } from './background-writer.js';
import { EventCorrelator } from './event-correlator.js';
import type { EventRecorder, EventSubject, EventType } from './event-recorder.js';
import { EventSeries } from './event-series.js';

/** The component that records events, and the API group of the events. */
export interface EventRecorderOptions extends BackgroundWriterOptions {
  readonly client: Client;
  /** Reporting component: `deployment-controller`, `kubelet`, … */
  readonly component: string;
  /** Name of the node of the component, if it runs on one. */
  readonly host?: string;
  /** `core` counts equal events, `events` (events.k8s.io/v1) records them as series. */
  readonly api?: 'core' | 'events';
  /** Size of the LRU cache that aggregates equal events; 4096 by default. */
  readonly cacheSize?: number;
  /** Counts equal events of recorders for several hosts together; by default each recorder has its own. */
  readonly correlator?: EventCorrelator;
}

/** Interval at which series that continue are written again, before the server deletes them. */
const refreshMs: Millis = 360_000;

/**
 * A recorder of events. They are written in the background; disposing it waits until all recorded events are written.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder & AsyncDisposable {
  const writer = new BackgroundWriter(options);
  return options.api === 'events' ? recordSeries(options, writer) : recordCounted(options, writer);
}

interface Occurrence {
  readonly about: corev1.ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly action: string | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

function recordCounted(options: EventRecorderOptions, writer: BackgroundWriter): EventRecorder & AsyncDisposable {
  const { correlator = new EventCorrelator(options.clock, options.cacheSize) } = options;
  const nameFor = eventNames(options);
  return {
    event(about, type, reason, message, action, annotations) {
      // Dropped early, as client-go does.
      if (writer.isFull) return;
      const occurrence = { about: referenceTo(about), type, reason, message, action, annotations };
      const result = correlator.correlate(coreEvent(options, occurrence, nameFor(occurrence.about)));
      if (result.kind === 'spam') return;
      writer.write(async () => {
        const events = options.client.resource(refs.events, result.event.metadata.namespace);
        if (result.kind === 'patch') {
          const patched = await orNotFound(
            events.patch(result.event.metadata.name ?? '', result.patch, { type: 'strategic' }),
          );
          if (patched) return;
        }
        await events.create(result.event);
      });
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

function recordSeries(options: EventRecorderOptions, writer: BackgroundWriter): EventRecorder & AsyncDisposable {
  const series = new EventSeries(options.clock);
  const nameFor = eventNames(options);
  const write = (event: eventsv1.Event) =>
    writer.write(async () => {
      const events = options.client.resource(refs.eventsV1, event.metadata.namespace);
      const { name = '' } = event.metadata;
      if (event.series && (await orNotFound(events.patch(name, { series: event.series }, { type: 'strategic' }))))
        return;
      await events.create(event);
    });
  const timer = every(options.clock, refreshMs, () => series.refresh().forEach(write));
  return {
    event(about, type, reason, message, action, annotations) {
      // Dropped early, as client-go does.
      if (writer.isFull) return;
      const occurrence = { about: referenceTo(about), type, reason, message, action, annotations };
      const event = series.record(seriesEvent(options, occurrence, nameFor(occurrence.about)));
      if (event) write(event);
    },
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      series.refresh().forEach(write);
      await writer[Symbol.asyncDispose]();
    },
  };
}

function coreEvent(
  { clock, component, host = '' }: EventRecorderOptions,
  what: Occurrence,
  name: string,
): corev1.Event {
  const now = formatTime(clock.now());
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: metadataOf(what, name),
    involvedObject: what.about,
    type: what.type,
    reason: what.reason,
    message: what.message,
    ...(what.action && { action: what.action }),
    source: { component, ...(host && { host }) },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    reportingComponent: component,
    reportingInstance: host,
  };
}

function seriesEvent({ clock, component, host }: EventRecorderOptions, what: Occurrence, name: string): eventsv1.Event {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: metadataOf(what, name),
    eventTime: formatMicroTime(clock.now()),
    regarding: what.about,
    type: what.type,
    reason: what.reason,
    note: what.message,
    action: what.action ?? what.reason,
    reportingController: component,
    reportingInstance: host ? `${component}-${host}` : component,
  };
}

function metadataOf({ about, annotations }: Occurrence, name: string): ObjectMeta {
  return { name, namespace: about.namespace || 'default', ...(annotations && { annotations: { ...annotations } }) };
}

const nanosInMilli = 1_000_000;

/**
 * `web.17f3a…`: the object's name and the instant in nanoseconds. Clocks are not that fine, so what is beyond a
 * millisecond is counted, from anywhere: recorders of one object at one instant must not use each other's
 * names. Where the object's name cannot begin another (it is too long, or has a colon), a random one is made up.
 */
function eventNames({ clock, random }: { readonly clock: Clock; readonly random: Random }): NameEvent {
  let counter = randomInt(random, nanosInMilli);
  return ({ name: about = '' }) => {
    counter = (counter + 1) % nanosInMilli;
    const instant = BigInt(Math.trunc(clock.now())) * BigInt(nanosInMilli) + BigInt(counter);
    const name = `${about}.${instant.toString(16)}`;
    return isDns1123Subdomain(name).length === 0 ? name : randomUuid(random);
  };
}

type NameEvent = (about: corev1.ObjectReference) => string;

function referenceTo(about: EventSubject): corev1.ObjectReference {
  return about.metadata ? objectReference(about) : about;
}

/** False when there is nothing to patch: the server has deleted the expired event. */
async function orNotFound(patching: Promise<unknown>): Promise<boolean> {
  try {
    await patching;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
