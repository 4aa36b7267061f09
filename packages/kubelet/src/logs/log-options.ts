import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** Options of a request for a container's log. */
export interface LogOptions {
  readonly follow: boolean;
  /** Whether the log of the previous instance is requested. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly since: Millis | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly stream: 'stdout' | 'stderr' | undefined;
}

/** Parses the query of a kubelet's `/containerLogs`. */
export function parseLogOptions(query: URLSearchParams, now: Millis): LogOptions {
  const flag = (name: string) => {
    const value = query.get(name);
    return value !== null && value !== 'false' && value !== '0';
  };
  const stream = query.get('stream')?.toLowerCase();
  return {
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    since: sinceOf(query, now),
    tailLines: numberOf(query.get('tailLines')),
    limitBytes: numberOf(query.get('limitBytes')),
    stream: stream === 'stdout' || stream === 'stderr' ? stream : undefined,
  };
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function sinceOf(query: URLSearchParams, now: Millis): Millis | undefined {
  const seconds = query.get('sinceSeconds');
  return seconds === null ? parseTime(query.get('sinceTime') ?? '') : now - Number(seconds) * 1_000;
}
