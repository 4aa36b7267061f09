import { type Pod, refs } from '@coracle/api';
import { controllerOf, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { DisposableStack } from '@coracle/base';
import type { InformerEvent } from '@coracle/client';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { Expectations } from '../expectations.js';
import { OwnWrites } from '../own-writes.js';
import { dependentsOf, indexByOwner } from '../owner-index.js';
import { followPods, ownerOf } from '../pod-owners.js';
import { JobMetrics } from './job-metrics.js';
import { isTracked, owner } from './job-pods.js';
import type { JobWork } from './job-work.js';
import { letGo } from './manage-pods.js';
import { FailureStreaks } from './pod-backoff.js';
import { jobKind, syncJob } from './sync-job.js';

/** Runs pods until enough of them have succeeded. */
export const jobController: Controller = {
  name: 'job-controller',
  start(context) {
    const { informers, clock } = context;
    const jobs = informers.for(refs.jobs);
    const pods = informers.for(refs.pods);
    indexByOwner(pods);
    const work: JobWork = {
      context,
      expectations: new Expectations(clock),
      streaks: new FailureStreaks(),
      writes: new OwnWrites(jobs, clock),
      released: new Map(),
      metrics: new JobMetrics(context.metrics),
    };
    const loops = new DisposableStack();
    loops.use(
      runKeyed(context, {
        name: 'job',
        resource: 'jobs',
        watch: (queue) => [
          jobs.addHandler(({ type, object }) => {
            if (type === 'deleted') forget(keyOf(object), work);
            else work.writes.seen(keyOf(object), object, false);
            queue.add(keyOf(object));
          }),
          pods.addHandler((event) => countTracked(event, work.metrics)),
          followPods(context, jobKind, {
            queue,
            expectations: work.expectations,
            onOwned: ({ type, object }, key) => {
              if (type === 'deleted' || !isTracked(object)) work.released.get(key)?.delete(object.metadata.uid ?? '');
            },
          }),
        ],
        reconcile: (key) => syncJob(key, work),
      }),
    );
    loops.use(runOrphans(context));
    return loops;
  },
};

function countTracked(event: InformerEvent<Pod>, metrics: JobMetrics): void {
  const previous = event.type === 'updated' ? event.previous : undefined;
  if (event.type === 'deleted') metrics.podChanged(event.object, undefined);
  else metrics.podChanged(previous, event.object);
}

function forget(key: ObjectKey, { expectations, streaks, writes, released }: JobWork): void {
  expectations.forget(key);
  streaks.forget(key);
  writes.forget(key);
  released.delete(key);
}

/** Pods of a deleted job are no longer counted: their finalizer is removed. */
function runOrphans(context: ControllerContext): AsyncDisposable {
  const { informers } = context;
  const pods = informers.for(refs.pods);
  return runKeyed(context, {
    name: 'job_orphan_pod',
    workers: 1,
    watch: (queue) => [
      informers.for(refs.jobs).addHandler(({ type, object }) => {
        if (type === 'deleted') for (const pod of dependentsOf(pods, object.metadata.uid ?? '')) queue.add(keyOf(pod));
      }),
      pods.addHandler(({ type, object }) => {
        if (type !== 'deleted' && isTracked(object) && !ownerOf(object, context, jobKind)) queue.add(keyOf(object));
      }),
    ],
    reconcile: async (key) => {
      const pod = pods.get(key);
      if (pod && isTracked(pod) && !(await hasJob(pod, context))) await letGo(context, pod);
    },
  });
}

/** The cache may have the pods of a job before the job, so the API server is read. */
async function hasJob(pod: Pod, context: ControllerContext): Promise<boolean> {
  const reference = controllerOf(pod);
  if (reference && reference.kind !== owner.kind) return true;
  if (!reference) return false;
  if (ownerOf(pod, context, jobKind)) return true;
  const { items } = await context.client
    .resource(refs.jobs, pod.metadata.namespace)
    .list({ fieldSelector: `metadata.name=${reference.name}` });
  return items.some(({ metadata }) => metadata.uid === reference.uid);
}
