import type { Millis } from '@coracle/base';

/** A line of output, or a part of a very long one. */
export interface LogEntry {
  /** In the format of the file: `2016-10-06T00:17:09.669794202Z`. */
  readonly time: string;
  readonly stream: string;
  /** Whether the line continues with the next entry. */
  readonly partial: boolean;
  readonly content: Uint8Array;
}

const space = 0x20;
const decoder = new TextDecoder();

/** Parses `TIME STREAM TAGS CONTENT`, without the line break; `undefined` for anything else. */
export function parseLogLine(line: Uint8Array): LogEntry | undefined {
  const first = line.indexOf(space);
  const second = line.indexOf(space, first + 1);
  if (first <= 0 || second < 0) return undefined;
  const third = line.indexOf(space, second + 1);
  const end = third < 0 ? line.length : third;
  const tags = decoder.decode(line.subarray(second + 1, end)).split(':');
  return {
    time: decoder.decode(line.subarray(0, first)),
    stream: decoder.decode(line.subarray(first + 1, second)),
    partial: tags[0] === 'P',
    content: line.subarray(Math.min(end + 1, line.length)),
  };
}

/** With millisecond precision; `NaN` for an invalid time. */
export function timeOf({ time }: LogEntry): Millis {
  return Date.parse(time.replace(/(\.\d{3})\d*/, '$1'));
}
