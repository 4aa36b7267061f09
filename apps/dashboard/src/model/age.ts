/** As kubectl writes ages: the two largest units that matter. */
export function ageOf(since: string | undefined, now: number): string {
  const then = Date.parse(since ?? '');
  if (Number.isNaN(then)) return '–';
  return durationText(Math.max(0, now - then));
}

export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return join(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return join(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return join(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  return join(Math.floor(days / 365), 'y', days % 365, 'd');
}

function join(a: number, first: string, b: number, second: string): string {
  return b === 0 ? `${a}${first}` : `${a}${first}${b}${second}`;
}

const unitMs: Readonly<Record<string, number>> = {
  y: 31_536_000_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
};

/** `3m29s` in milliseconds; undefined for what is no duration. */
export function durationMs(text: string): number | undefined {
  if (!/^(?:\d+[ydhms])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([ydhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0),
    0,
  );
}

/** Columns in which the server prints how long ago something was. */
export const agingColumns: ReadonlySet<string> = new Set(['Last Seen', 'Last Schedule', 'Restarts']);

/** A text such as `12s (x5 over 3m)` or `6 (2m ago)`, as it would read this much later. */
export function agedText(text: string, laterMs: number): string {
  const age = (part: string) => {
    const ms = durationMs(part);
    return ms === undefined ? part : durationText(ms + laterMs);
  };
  const ago = /^(\d+ \()(\S+)( ago\))$/.exec(text);
  if (ago) return `${ago[1]}${age(ago[2] ?? '')}${ago[3]}`;
  const [first = '', ...rest] = text.split(' ');
  return [age(first), ...rest].join(' ');
}
