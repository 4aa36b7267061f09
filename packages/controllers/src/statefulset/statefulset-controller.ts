import { type Pod, refs, type StatefulSet } from '@coracle/api';
import { type KubeObject, keyOf } from '@coracle/apimachinery';
import type { InformerEvent } from '@coracle/client';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { Expectations } from '../expectations.js';
import { controllerOf } from '../owner-claims.js';
import { indexByOwner } from '../owner-index.js';
import { owner } from './identity.js';
import { type SetWork, selectorOf, syncStatefulSet } from './sync-statefulset.js';

/** Keeps pods that are told apart: each has a number, and with it a name, an address and storage that stay. */
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
      watch: (queue) => [
        sets.addHandler(({ type, object }) => {
          if (type === 'deleted') work.expectations.forget(keyOf(object));
          queue.add(keyOf(object));
        }),
        pods.addHandler((event) => onPod(event, work, queue)),
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

function onPod(event: InformerEvent<Pod>, { context, expectations }: SetWork, queue: KeyQueue): void {
  const { object } = event;
  const set = ownerOf(object, context);
  if (set) {
    const key = keyOf(set);
    const going = event.type === 'deleted' || object.metadata.deletionTimestamp !== undefined;
    if (going) expectations.deletionObserved(key, object.metadata.uid ?? '');
    else if (event.type === 'added') expectations.creationObserved(key);
    queue.add(key);
  } else if (event.type !== 'deleted' && !controllerOf(object)) {
    for (const candidate of setsIn(object, context))
      if (selectorOf(candidate).matches(object.metadata.labels ?? {})) queue.add(keyOf(candidate));
  }
  const previous = event.type === 'updated' ? ownerOf(event.previous, context) : undefined;
  if (previous && previous !== set) queue.add(keyOf(previous));
}

function ownerOf(pod: Pod, { informers }: ControllerContext): StatefulSet | undefined {
  const reference = controllerOf(pod);
  if (reference?.kind !== owner.kind) return undefined;
  const found = informers.for(refs.statefulSets).get(`${pod.metadata.namespace}/${reference.name}`);
  return found?.metadata.uid === reference.uid ? found : undefined;
}
