import type { Millis } from '@coracle/base';
import type { PreFilterResult } from './plugin.js';
import type { Verdict } from './verdict.js';

/** The status of an extension point, or of one plugin at it, as in kube-scheduler's metrics. */
export type PointStatus = 'Success' | 'Error' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Wait' | 'Skip';

/** The extension points, by their names in metrics. */
export type MeasuredPoint =
  | 'PreEnqueue'
  | 'PreFilter'
  | 'Filter'
  | 'PostFilter'
  | 'PreScore'
  | 'Score'
  | 'ScoreExtensionNormalize'
  | 'Reserve'
  | 'Unreserve'
  | 'Permit'
  | 'PreBind'
  | 'Bind'
  | 'PostBind';

/** Records the durations of plugins. */
export interface Measuring {
  /** Seconds with fractions: most plugins take less than a millisecond. */
  now(): Millis;
  point(point: MeasuredPoint, status: PointStatus, tookMs: Millis): void;
  plugin(plugin: string, point: MeasuredPoint, status: PointStatus, tookMs: Millis): void;
}

const statuses: Readonly<Record<(Verdict | PreFilterResult)['kind'], PointStatus>> = {
  fits: 'Success',
  ready: 'Success',
  skip: 'Skip',
  unschedulable: 'Unschedulable',
  'unschedulable-and-unresolvable': 'UnschedulableAndUnresolvable',
};

export function statusOfVerdict({ kind }: Verdict | PreFilterResult): PointStatus {
  return statuses[kind];
}

export const succeeded = (): PointStatus => 'Success';

/** Measures a call and records its duration. */
export interface Timing<T> {
  now(): Millis;
  report(status: PointStatus, tookMs: Millis): void;
  statusOf(result: T): PointStatus;
}

/** Records the duration of a call, also if it throws. */
export function timed<T>({ now, report, statusOf }: Timing<T>, run: () => T): T {
  const startedAt = now();
  let status: PointStatus = 'Error';
  try {
    const result = run();
    status = statusOf(result);
    return result;
  } finally {
    report(status, now() - startedAt);
  }
}

/** The same until the promise settles. Starts synchronously. */
export async function timedAsync<T>({ now, report, statusOf }: Timing<T>, run: () => T | Promise<T>): Promise<T> {
  const startedAt = now();
  let status: PointStatus = 'Error';
  try {
    const result = await run();
    status = statusOf(result);
    return result;
  } finally {
    report(status, now() - startedAt);
  }
}

/** For calls that are asynchronous only if necessary: others return synchronously. */
export function timedEither<T>(timing: Timing<T>, run: () => T | Promise<T>): T | Promise<T> {
  const startedAt = timing.now();
  const sinceStart = { ...timing, report: (status: PointStatus) => timing.report(status, timing.now() - startedAt) };
  let outcome: T | Promise<T> | undefined;
  try {
    outcome = run();
    if (outcome instanceof Promise) return timedAsync(sinceStart, () => outcome as Promise<T>);
    sinceStart.report(timing.statusOf(outcome));
    return outcome;
  } catch (error) {
    sinceStart.report('Error');
    throw error;
  }
}

/** A profile that may measure its extension points. */
interface Measured {
  readonly measuring?: Measuring;
}

/** Calls the plugins of an extension point, and records their total duration. */
export function atPoint<T>(
  { measuring }: Measured,
  point: MeasuredPoint,
  run: () => T,
  statusOf: (result: T) => PointStatus = succeeded,
): T {
  if (!measuring) return run();
  const report = (status: PointStatus, ms: Millis) => measuring.point(point, status, ms);
  return timed({ now: measuring.now, report, statusOf }, run);
}

/** The same for asynchronous plugins. */
export function atAsyncPoint<T>(
  { measuring }: Measured,
  point: MeasuredPoint,
  run: () => Promise<T>,
  statusOf: (result: T) => PointStatus = succeeded,
): Promise<T> {
  if (!measuring) return run();
  const report = (status: PointStatus, ms: Millis) => measuring.point(point, status, ms);
  return timedAsync({ now: measuring.now, report, statusOf }, run);
}
