import { refs, type StatefulSet } from '@coracle/api';
import { type KubeObject, keyOf } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { Expectations } from '../expectations.js';
import { FailedPodBackoff } from '../failed-pod-backoff.js';
import { indexByOwner } from '../owner-index.js';
import { followPods } from '../pod-owners.js';
import { type SetWork, statefulSetKind, syncStatefulSet } from './sync-statefulset.js';

/**
 * Rate of replacements: a pod that its node rejects fails at once, and so does each replacement. They start soon after
 * the cause is resolved, but no faster.
 */
const maxBackoffMs: Millis = 10_000;

/** Keeps pods with a stable identity: each has an ordinal, and with it a stable name, address and storage. */
export const statefulSetController: Controller = {
  name: 'statefulset-controller',
  start(context) {
    const { informers, clock } = context;
    const sets = informers.for(refs.statefulSets);
    const pods = informers.for(refs.pods);
    const revisions = informers.for(refs.controllerRevisions);
    const claims = informers.for(refs.persistentVolumeClaims);
    indexByOwner(pods);
    indexByOwner(revisions);
    const work: SetWork = {
      context,
      expectations: new Expectations(clock),
      backoff: new FailedPodBackoff(clock, maxBackoffMs),
    };
    return runKeyed(context, {
      name: 'statefulset',
      resource: 'statefulsets',
      watch: (queue) => [
        sets.addHandler(({ type, object }) => {
          if (type === 'deleted') forget(object, work);
          queue.add(keyOf(object));
        }),
        followPods(context, statefulSetKind, { queue, expectations: work.expectations }),
        // When a claim is finally deleted, its pod can be created again.
        claims.addHandler(({ type, object }) => {
          if (type === 'deleted') for (const set of setsIn(object, context)) queue.add(keyOf(set));
        }),
      ],
      reconcile: (key) => syncStatefulSet(key, work),
    });
  },
};

function forget(set: StatefulSet, { expectations, backoff }: SetWork): void {
  expectations.forget(keyOf(set));
  backoff.forget(`${set.metadata.uid}/`);
}

function setsIn({ metadata }: KubeObject, { informers }: ControllerContext): readonly StatefulSet[] {
  return informers.for(refs.statefulSets).list(metadata.namespace);
}
