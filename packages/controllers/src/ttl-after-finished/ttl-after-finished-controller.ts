import { type Job, refs } from '@coracle/api';
import { isConflict, isNotFound, keyOf, type ObjectKey, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { finishedCondition } from '../job/job-pods.js';

/** Deletes jobs when they have been finished for as long as they say. */
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

/** When a job may go; `undefined` while it runs, or if it is to stay. */
export function expiresAt(job: Job): Millis | undefined {
  const { ttlSecondsAfterFinished } = job.spec ?? {};
  const finished = finishedCondition(job)?.lastTransitionTime;
  if (ttlSecondsAfterFinished === undefined || finished === undefined || job.metadata.deletionTimestamp)
    return undefined;
  const at = parseTime(finished);
  return at === undefined ? undefined : at + ttlSecondsAfterFinished * 1000;
}

async function reconcile(
  key: ObjectKey,
  { client, clock, informers }: ControllerContext,
): Promise<{ requeueAfterMs: Millis } | undefined> {
  const job = informers.for(refs.jobs).get(key);
  const due = job && expiresAt(job);
  if (!job || due === undefined) return undefined;
  if (due > clock.now()) return { requeueAfterMs: due - clock.now() };
  const { namespace, name = '', uid } = job.metadata;
  const jobs = client.resource(refs.jobs, namespace);
  try {
    // It may have been given more time since.
    const fresh = await jobs.get(name);
    const left = (expiresAt(fresh) ?? Number.POSITIVE_INFINITY) - clock.now();
    if (left > 0) return undefined;
    await jobs.delete(name, { propagationPolicy: 'Foreground', ...(uid && { preconditions: { uid } }) });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return undefined;
}
