import { formatAge } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { naming, tablePrinter, text, timed, wide } from '../../columns/table-printer.js';
import type { Event } from '../../generated/types/core-v1.js';

/** Also for events.k8s.io, whose events are stored as those of core. */
export const eventPrinter = tablePrinter<Event>([
  timed('Last Seen', 'The time since it happened last.', lastSeen),
  text('Type', 'Normal or Warning.', ({ type }) => type ?? ''),
  text('Reason', 'What happened, in a word.', ({ reason }) => reason ?? ''),
  text('Object', 'What it happened to.', ({ involvedObject: { kind = '', name } }) =>
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
  ),
  wide(text('Subobject', 'The part of the object.', ({ involvedObject }) => involvedObject.fieldPath ?? '')),
  wide(text('Source', 'Who tells it.', source)),
  text('Message', 'What happened.', ({ message }) => message?.trim() ?? ''),
  wide(timed('First Seen', 'The time since it happened first.', firstSeen)),
  wide(text('Count', 'How often it happened.', ({ count, series }) => (series ? (series.count ?? 0) : count || 1))),
  wide(naming(text('Name', 'The name of the event.', ({ metadata }) => metadata.name ?? ''))),
]);

function lastSeen({ lastTimestamp, firstTimestamp, eventTime, series }: Event, now: Millis): string {
  if (series) return formatAge(series.lastObservedTime, now);
  return formatAge(lastTimestamp || firstTimestamp || eventTime, now);
}

function firstSeen({ firstTimestamp, eventTime }: Event, now: Millis): string {
  return formatAge(firstTimestamp || eventTime, now);
}

function source({ source: from, reportingComponent, reportingInstance }: Event): string {
  const component = from?.component || reportingComponent || '';
  const instance = from?.host || reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}
