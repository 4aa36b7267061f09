import { type ControllerRevision, type DaemonSet, type Node, refs } from '@coracle/api';
import { controllerOf, keyOf } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { InformerEvent } from '@coracle/client';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { Expectations } from '../expectations.js';
import { FailedPodBackoff } from '../failed-pod-backoff.js';
import { indexByOwner } from '../owner-index.js';
import { followPods } from '../pod-owners.js';
import { daemonSetKind, owner } from './daemonset-kind.js';
import { nodeFit } from './node-fit.js';
import { type DaemonWork, syncDaemonSet } from './sync-daemonset.js';

const maxBackoffMs: Millis = 15 * 60_000;

/** Keeps one pod of each daemon set on every matching node. */
export const daemonSetController: Controller = {
  name: 'daemonset-controller',
  account: 'daemon-set-controller',
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
      backoff: new FailedPodBackoff(clock, maxBackoffMs),
    };
    return runKeyed(context, {
      name: 'daemonset',
      resource: 'daemonsets',
      workers: 2,
      watch: (queue) => [
        daemonSets.addHandler(({ type, object }) => {
          if (type === 'deleted') forget(object, work);
          queue.add(keyOf(object));
        }),
        followPods(context, daemonSetKind, { queue, expectations: work.expectations }),
        revisions.addHandler((event) => onRevision(event, context, queue)),
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

/** A new revision was created by its owner. A changed or deleted one may have to be restored. */
function onRevision(
  { type, object }: InformerEvent<ControllerRevision>,
  { informers }: ControllerContext,
  queue: KeyQueue,
): void {
  const reference = controllerOf(object);
  const { namespace = '', labels = {} } = object.metadata;
  if (reference) {
    if (type !== 'added' && reference.kind === owner.kind) queue.add(`${namespace}/${reference.name}`);
    return;
  }
  for (const daemonSet of informers.for(refs.daemonSets).list(namespace))
    if (daemonSetKind.selectorOf(daemonSet).matches(labels)) queue.add(keyOf(daemonSet));
}

/** Heartbeats update nodes frequently; only changes that affect scheduling of daemon pods matter. */
function onNode(event: InformerEvent<Node>, { informers }: ControllerContext, queue: KeyQueue): void {
  for (const daemonSet of informers.for(refs.daemonSets).list()) {
    const after = event.type === 'deleted' ? undefined : nodeFit(daemonSet, event.object);
    const before = event.type === 'updated' ? nodeFit(daemonSet, event.previous) : undefined;
    if (before?.shouldRun !== after?.shouldRun || before?.mayStay !== after?.mayStay || event.type === 'deleted')
      queue.add(keyOf(daemonSet));
  }
}
