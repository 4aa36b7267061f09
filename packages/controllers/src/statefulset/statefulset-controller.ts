import { refs, type StatefulSet } from '@coracle/api';
import { type KubeObject, keyOf } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { Expectations } from '../expectations.js';
import { indexByOwner } from '../owner-index.js';
import { followPods } from '../pod-owners.js';
import { type SetWork, statefulSetKind, syncStatefulSet } from './sync-statefulset.js';

/** Keeps pods with identities: each has an ordinal, and with it a stable name, address and storage. */
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
    const work: SetWork = { context, expectations: new Expectations(clock) };
    return runKeyed(context, {
      name: 'statefulset',
      resource: 'statefulsets',
      watch: (queue) => [
        sets.addHandler(({ type, object }) => {
          if (type === 'deleted') work.expectations.forget(keyOf(object));
          queue.add(keyOf(object));
        }),
        followPods(context, statefulSetKind, { queue, expectations: work.expectations }),
        // A claim that goes at last lets its pod be made again.
        claims.addHandler(({ type, object }) => {
          if (type === 'deleted') for (const set of setsIn(object, context)) queue.add(keyOf(set));
        }),
      ],
      reconcile: (key) => syncStatefulSet(key, work),
    });
  },
};

function setsIn({ metadata }: KubeObject, { informers }: ControllerContext): readonly StatefulSet[] {
  return informers.for(refs.statefulSets).list(metadata.namespace);
}
