import { type ControllerRevision, type DaemonSet, type Node, type Pod, refs } from '@coracle/api';
import { keyOf, LabelSelector } from '@coracle/apimachinery';
import type { InformerEvent } from '@coracle/client';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { Expectations } from '../expectations.js';
import { controllerOf } from '../owner-claims.js';
import { indexByOwner } from '../owner-index.js';
import { FailedPodBackoff } from './failed-pod-backoff.js';
import { nodeFit } from './node-fit.js';
import { type DaemonWork, owner, selectorOf, syncDaemonSet } from './sync-daemonset.js';

/** Keeps one pod on every node that a daemon set is meant for. */
export const daemonSetController: Controller = {
  name: 'daemon-set-controller',
  start(context) {
    const { informers, clock } = context;
    const daemonSets = informers.for(refs.daemonSets);
    const pods = informers.for(refs.pods);
    const revisions = informers.for(refs.controllerRevisions);
    indexByOwner(pods);
    indexByOwner(revisions);
    const work: DaemonWork = {
      context,
      expectations: new Expectations(clock),
      backoff: new FailedPodBackoff(clock),
    };
    return runKeyed(context, {
      name: 'daemonset',
      workers: 2,
      watch: (queue) => [
        daemonSets.addHandler(({ type, object }) => {
          if (type === 'deleted') forget(object, work);
          queue.add(keyOf(object));
        }),
        pods.addHandler((event) => onPod(event, work, queue)),
        revisions.addHandler(({ object }) => onRevision(object, context, queue)),
        informers.for(refs.nodes).addHandler((event) => onNode(event, context, queue)),
      ],
      reconcile: (key) => syncDaemonSet(key, work),
    });
  },
};

function forget(daemonSet: DaemonSet, { expectations, backoff }: DaemonWork): void {
  expectations.forget(keyOf(daemonSet));
  backoff.forget(`${daemonSet.metadata.uid}/`);
}

function onPod(event: InformerEvent<Pod>, { context, expectations }: DaemonWork, queue: KeyQueue): void {
  const { object } = event;
  const daemonSet = ownerOf(object, context);
  if (daemonSet) {
    const key = keyOf(daemonSet);
    const going = event.type === 'deleted' || object.metadata.deletionTimestamp !== undefined;
    if (going) expectations.deletionObserved(key, object.metadata.uid ?? '');
    else if (event.type === 'added') expectations.creationObserved(key);
    queue.add(key);
  } else if (event.type !== 'deleted' && !controllerOf(object)) {
    for (const candidate of context.informers.for(refs.daemonSets).list(object.metadata.namespace))
      if (selectorOf(candidate).matches(object.metadata.labels ?? {})) queue.add(keyOf(candidate));
  }
  const previous = event.type === 'updated' ? ownerOf(event.previous, context) : undefined;
  if (previous && previous !== daemonSet) queue.add(keyOf(previous));
}

function ownerOf(pod: Pod, { informers }: ControllerContext): DaemonSet | undefined {
  const reference = controllerOf(pod);
  if (reference?.kind !== owner.kind) return undefined;
  const found = informers.for(refs.daemonSets).get(`${pod.metadata.namespace}/${reference.name}`);
  return found?.metadata.uid === reference.uid ? found : undefined;
}

function onRevision(revision: ControllerRevision, { informers }: ControllerContext, queue: KeyQueue): void {
  const reference = controllerOf(revision);
  const { namespace = '', labels = {} } = revision.metadata;
  if (reference) {
    if (reference.kind === owner.kind) queue.add(`${namespace}/${reference.name}`);
    return;
  }
  for (const daemonSet of informers.for(refs.daemonSets).list(namespace))
    if (LabelSelector.fromObject(daemonSet.spec?.selector).matches(labels)) queue.add(keyOf(daemonSet));
}

/** Heartbeats change nodes all the time; only what makes a daemon set welcome or unwelcome is news. */
function onNode(event: InformerEvent<Node>, { informers }: ControllerContext, queue: KeyQueue): void {
  for (const daemonSet of informers.for(refs.daemonSets).list()) {
    const after = event.type === 'deleted' ? undefined : nodeFit(daemonSet, event.object);
    const before = event.type === 'updated' ? nodeFit(daemonSet, event.previous) : undefined;
    if (before?.shouldRun !== after?.shouldRun || before?.mayStay !== after?.mayStay || event.type === 'deleted')
      queue.add(keyOf(daemonSet));
  }
}
