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
