import { type CronJob, type Job, refs } from '@coracle/api';
import { controllerOf, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { OwnWrites } from '../own-writes.js';
import { indexByOwner } from '../owner-index.js';
import { type CronWork, owner, syncCronJob } from './sync-cronjob.js';

/** Creates jobs on a schedule. */
export const cronJobController: Controller = {
  name: 'cronjob-controller',
  start(context) {
    const { informers, clock } = context;
    const cronJobs = informers.for(refs.cronJobs);
    const jobs = informers.for(refs.jobs);
    indexByOwner(jobs);
    const work: CronWork = { context, writes: new OwnWrites<CronJob>(cronJobs, clock) };
    return runKeyed(context, {
      name: 'cronjob',
      resource: 'cronjobs',
      watch: (queue) => [
        cronJobs.addHandler(({ type, object }) => {
          const key: ObjectKey = keyOf(object);
          if (type === 'deleted') work.writes.forget(key);
          else work.writes.seen(key, object, false);
          queue.add(key);
        }),
        jobs.addHandler((event) => {
          enqueueOwner(event.object, context, queue);
          if (event.type === 'updated') enqueueOwner(event.previous, context, queue);
        }),
      ],
      reconcile: (key) => syncCronJob(key, work),
    });
  },
};

function enqueueOwner(job: Job, { informers }: ControllerContext, queue: KeyQueue): void {
  const reference = controllerOf(job);
  if (reference?.kind !== owner.kind) return;
  const key = `${job.metadata.namespace}/${reference.name}`;
  if (informers.for(refs.cronJobs).get(key)?.metadata.uid === reference.uid) queue.add(key);
}
