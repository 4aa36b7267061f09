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

/** Takes down how long plugins take. */
export interface Measuring {
  /** With fractions: most plugins take less than a millisecond. */
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

/** How the time of a call is taken, and what is done with it. */
export interface Timing<T> {
  now(): Millis;
  report(status: PointStatus, tookMs: Millis): void;
  statusOf(result: T): PointStatus;
}

/** Reports how long a call takes, also one that throws. */
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

/** The same until the promise is settled. Runs at once, up to the first await. */
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

/** For calls that await only where they must: the others return at once here, too. */
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

/** A profile that may take the time of its extension points. */
interface Measured {
  readonly measuring?: Measuring;
}

/** Calls the plugins of an extension point, and reports how long they took together. */
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

/** The same for plugins that may await. */
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
