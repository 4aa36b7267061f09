import { type batchv1, isTerminalPod, type Job, type Pod } from '@coracle/api';
import type { Counter, Histogram, Metrics, Millis } from '@coracle/base';
import { isIndexed, isTracked } from './job-pods.js';

/** The action of a sync on the pods of a job; `reconciling` if it had to wait for expectations. */
export type JobAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

export interface JobSync {
  readonly action: JobAction;
  readonly isError: boolean;
  readonly tookMs: Millis;
}

/** Buckets from 4 ms to a minute. */
const buckets = Array.from({ length: 15 }, (_, power) => 0.004 * 2 ** power);

/** Metrics of jobs, under the names of kube-controller-manager. */
export class JobMetrics {
  readonly #syncs: Counter;
  readonly #durations: Histogram;
  readonly #finished: Counter;
  readonly #podsFinished: Counter;
  readonly #tracked: Counter;

  constructor(metrics: Metrics) {
    const named = (name: string, help: string, ...labels: string[]) => ({
      name: `job_controller_${name}`,
      help,
      labels,
    });
    const ofSync = ['completion_mode', 'result', 'action'];
    this.#syncs = metrics.counter(named('job_syncs_total', 'The number of job syncs', ...ofSync));
    this.#durations = metrics.histogram({
      ...named('job_sync_duration_seconds', 'The time it took to sync a job', ...ofSync),
      buckets,
    });
    this.#finished = metrics.counter(
      named('jobs_finished_total', 'The number of finished jobs', 'completion_mode', 'result', 'reason'),
    );
    this.#podsFinished = metrics.counter(
      named(
        'job_pods_finished_total',
        'The number of finished Pods that are fully tracked',
        'completion_mode',
        'result',
      ),
    );
    this.#tracked = metrics.counter(
      named(
        'terminated_pods_tracking_finalizer_total',
        'The number of terminated pods (phase=Failed|Succeeded) that have the finalizer batch.kubernetes.io/job-tracking. The event label can be "add" or "delete".',
        'event',
      ),
    );
  }

  synced(job: Job, { action, isError, tookMs }: JobSync): void {
    const labels = { completion_mode: modeOf(job), result: isError ? 'error' : 'success', action };
    this.#syncs.add(1, labels);
    this.#durations.observe(tookMs / 1000, labels);
  }

  finished(job: Job, result: 'succeeded' | 'failed', reason: string): void {
    this.#finished.add(1, { completion_mode: modeOf(job), result, reason });
  }

  /** The status of `job` was replaced by the new one: counts the difference. */
  counted(job: Job, status: batchv1.JobStatus): void {
    for (const result of ['succeeded', 'failed'] as const) {
      const more = (status[result] ?? 0) - (job.status?.[result] ?? 0);
      // The completions of a job were reduced.
      if (more > 0) this.#podsFinished.add(more, { completion_mode: modeOf(job), result });
    }
  }

  /** A pod has changed; either version is absent where it did not exist. */
  podChanged(before: Pod | undefined, after: Pod | undefined): void {
    const [was, is] = [awaitsCounting(before), awaitsCounting(after)];
    if (was !== is) this.#tracked.add(1, { event: is ? 'add' : 'delete' });
  }
}

function modeOf(job: Job): string {
  return isIndexed(job) ? 'Indexed' : 'NonIndexed';
}

function awaitsCounting(pod: Pod | undefined): boolean {
  return pod !== undefined && isTerminalPod(pod) && isTracked(pod);
}
