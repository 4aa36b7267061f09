/** The actions on older files of a container's log before the current one is renamed. */
export interface RotationPlan {
  readonly remove: readonly string[];
  readonly compress: readonly string[];
}

/**
 * Plans for the rotated files of a log, such as `0.log.20260101-120000.gz`. The newest is not compressed, because a
 * client may still follow it. `maxFiles` includes the current log and the one that is renamed.
 */
export function planRotation(log: string, names: readonly string[], maxFiles: number): RotationPlan {
  const rotated = names.filter((name) => name.startsWith(`${log}.`)).sort();
  const leftovers = rotated.filter((name) => name.endsWith('.tmp'));
  const rest = rotated.filter((name) => !name.endsWith('.tmp'));
  const excess = Math.max(0, rest.length - Math.max(0, maxFiles - 2));
  const staying = rest.slice(excess);
  return {
    remove: [...leftovers, ...rest.slice(0, excess)],
    compress: staying.slice(0, -1).filter((name) => !name.endsWith('.gz')),
  };
}

/** Suffix of a rotated file: `20260101-120000`. */
export function rotationStamp(now: number): string {
  const [date = '', time = ''] = new Date(now).toISOString().split('T');
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
}
