import { type Job, refs } from '@coracle/api';
import { isConflict, isNotFound, keyOf, type ObjectKey, parseTime } from '@coracle/apimachinery';
import type { Histogram, Metrics, Millis } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { finishedCondition } from '../job/job-pods.js';

/** Deletes finished jobs after their `ttlSecondsAfterFinished`. */
export const ttlAfterFinishedController: Controller = {
  name: 'ttl-after-finished-controller',
  start(context) {
    const jobs = context.informers.for(refs.jobs);
    return runKeyed(context, {
      name: 'ttl_jobs_to_delete',
      watch: (queue) => [
        jobs.addHandler(({ type, object }) => {
          if (type !== 'deleted' && expiresAt(object) !== undefined) queue.add(keyOf(object));
        }),
      ],
      reconcile: (key) => reconcile(key, context),
    });
  },
};

/** When a job is deleted; `undefined` if it has not finished or has no TTL. */
export function expiresAt(job: Job): Millis | undefined {
  const { ttlSecondsAfterFinished } = job.spec ?? {};
  const finished = finishedCondition(job)?.lastTransitionTime;
  if (ttlSecondsAfterFinished === undefined || finished === undefined || job.metadata.deletionTimestamp)
    return undefined;
  const at = parseTime(finished);
  return at === undefined ? undefined : at + ttlSecondsAfterFinished * 1000;
}

function deletionDuration(metrics: Metrics): Histogram {
  return metrics.histogram({
    name: 'ttl_after_finished_controller_job_deletion_duration_seconds',
    help: 'The time it took to delete the job since it became eligible for deletion',
    // Buckets from 100 ms to 27 minutes.
    buckets: Array.from({ length: 14 }, (_, power) => 0.1 * 2 ** power),
  });
}

async function reconcile(
  key: ObjectKey,
  { client, clock, informers, metrics }: ControllerContext,
): Promise<{ requeueAfterMs: Millis } | undefined> {
  const job = informers.for(refs.jobs).get(key);
  const due = job && expiresAt(job);
  if (!job || due === undefined) return undefined;
  if (due > clock.now()) return { requeueAfterMs: due - clock.now() };
  const { namespace, name = '', uid } = job.metadata;
  const jobs = client.resource(refs.jobs, namespace);
  try {
    // Its TTL may have been extended meanwhile.
    const fresh = await jobs.get(name);
    const expiredAt = expiresAt(fresh) ?? Number.POSITIVE_INFINITY;
    if (expiredAt > clock.now()) return undefined;
    await jobs.delete(name, { propagationPolicy: 'Foreground', ...(uid && { preconditions: { uid } }) });
    deletionDuration(metrics).observe((clock.now() - expiredAt) / 1000);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return undefined;
}
