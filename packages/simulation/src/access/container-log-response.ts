import { type ApiResponse, type ByteSink, formatMicroTime, parseTime } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { LogLine } from '../container-log.js';

export interface LogReading {
  readonly clock: Clock;
  /** As a kubelet gets it. */
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
  /** All that the container has written so far. */
  readonly lines: () => readonly LogLine[];
  /** Whether nothing more will come. */
  readonly isOver: () => boolean;
}

const headers = { 'content-type': 'text/plain' };
/** How often a log that is followed is looked at. */
const pollMs: Millis = 200;

/** What a kubelet answers to somebody who reads a container's log. */
export function logResponse(reading: LogReading): ApiResponse {
  const chunk = firstPart(reading);
  if (reading.query.get('follow') === null) return { status: 200, headers, body: { kind: 'bytes', chunks: [chunk] } };
  return { status: 200, headers, body: { kind: 'stream', stream: { open: (sink) => follow(reading, chunk, sink) } } };
}

function firstPart({ query, lines, clock }: LogReading): Uint8Array {
  const since = sinceOf(query, clock.now());
  const recent = lines().filter(({ at }) => at >= since);
  const tail = query.get('tailLines');
  const wanted = tail === null ? recent : recent.slice(Math.max(0, recent.length - Number(tail)));
  const bytes = encode(wanted, query);
  const limit = query.get('limitBytes');
  return limit === null ? bytes : bytes.subarray(0, Number(limit));
}

function sinceOf(query: URLSearchParams, now: Millis): Millis {
  const seconds = query.get('sinceSeconds');
  if (seconds !== null) return now - Number(seconds) * 1000;
  return parseTime(query.get('sinceTime') ?? '') ?? Number.NEGATIVE_INFINITY;
}

function encode(lines: readonly LogLine[], query: URLSearchParams): Uint8Array {
  const stamped = query.get('timestamps') !== null;
  const texts = lines.map(({ at, text }) => (stamped ? `${formatMicroTime(at)} ${text}\n` : `${text}\n`));
  return new TextEncoder().encode(texts.join(''));
}

/** Goes on with what is written after now, until the container or the reader is gone. */
function follow(reading: LogReading, first: Uint8Array, sink: ByteSink): void {
  let closed = false;
  let last = reading.lines().at(-1);
  sink.onClose(() => {
    closed = true;
  });
  sink.write(first);
  const look = () => {
    if (closed || reading.signal.aborted) return;
    const all = reading.lines();
    const fresh = last ? all.slice(all.lastIndexOf(last) + 1) : all;
    if (fresh.length > 0) sink.write(encode(fresh, reading.query));
    last = all.at(-1);
    if (reading.isOver()) sink.end();
    else reading.clock.schedule(pollMs, look);
  };
  look();
}
