import { type Deployment, type Pod, type ReplicaSet, refs } from '@coracle/api';
import { controllerOf, keyOf, LabelSelector, type ObjectKey } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { claim } from '../owner-claims.js';
import { claimable, dependentsOf, indexByOwner } from '../owner-index.js';
import { syncDeployment } from './sync-deployment.js';

const owner = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;

/** Rolls out deployments: one replica set per revision of the template, scaled against each other. */
export const deploymentController: Controller = {
  name: 'deployment-controller',
  start(context) {
    const { informers } = context;
    const deployments = informers.for(refs.deployments);
    const replicaSets = informers.for(refs.replicaSets);
    const pods = informers.for(refs.pods);
    indexByOwner(replicaSets);
    indexByOwner(pods);
    return runKeyed(context, {
      name: 'deployment',
      resource: 'deployments',
      watch: (queue) => [
        deployments.addHandler(({ object }) => queue.add(keyOf(object))),
        replicaSets.addHandler((event) => {
          onReplicaSet(event.object, { context, queue, deleted: event.type === 'deleted' });
          if (event.type === 'updated') onReplicaSet(event.previous, { context, queue, deleted: true });
        }),
        // Only Recreate waits for the deletion of the last old pod.
        pods.addHandler(({ type, object }) => {
          if (type === 'deleted') onPodGone(object, context, queue);
        }),
      ],
      reconcile: (key) => reconcile(key, context),
    });
  },
};

interface ReplicaSetEvent {
  readonly context: ControllerContext;
  readonly queue: KeyQueue;
  readonly deleted: boolean;
}

function onReplicaSet(replicaSet: ReplicaSet, { context, queue, deleted }: ReplicaSetEvent): void {
  const deployments = context.informers.for(refs.deployments);
  const { namespace = '', labels = {} } = replicaSet.metadata;
  const reference = controllerOf(replicaSet);
  if (reference) {
    if (reference.kind === owner.kind) queue.add(`${namespace}/${reference.name}`);
    return;
  }
  if (deleted) return;
  for (const deployment of deployments.list(namespace))
    if (selectorOf(deployment).matches(labels)) queue.add(keyOf(deployment));
}

function onPodGone(pod: Pod, { informers }: ControllerContext, queue: KeyQueue): void {
  const reference = controllerOf(pod);
  if (reference?.kind !== 'ReplicaSet') return;
  const namespace = pod.metadata.namespace ?? '';
  const replicaSet = informers.for(refs.replicaSets).get(`${namespace}/${reference.name}`);
  const deployment = replicaSet && controllerOf(replicaSet);
  if (!deployment) return;
  const key = `${namespace}/${deployment.name}`;
  if (informers.for(refs.deployments).get(key)?.spec?.strategy?.type === 'Recreate') queue.add(key);
}

function selectorOf({ spec }: Deployment): LabelSelector {
  const parsed = LabelSelector.fromObject(spec?.selector);
  return parsed.isEmpty ? LabelSelector.nothing : parsed;
}

async function reconcile(key: ObjectKey, context: ControllerContext): Promise<{ requeueAfterMs: number } | undefined> {
  const { informers, client } = context;
  const deployment = informers.for(refs.deployments).get(key);
  if (!deployment) return undefined;
  const { namespace = '', name = '' } = deployment.metadata;
  const replicaSets = await claim<ReplicaSet>(claimable(informers.for(refs.replicaSets), deployment), {
    owner: deployment,
    ownerKind: owner,
    selector: selectorOf(deployment),
    freshOwner: () => client.resource(refs.deployments, namespace).get(name),
    patch: (replicaSet, patch) =>
      client.resource(refs.replicaSets, namespace).patch(replicaSet.metadata.name ?? '', patch, { type: 'strategic' }),
  });
  const podsOf = (replicaSet: ReplicaSet) => dependentsOf(informers.for(refs.pods), replicaSet.metadata.uid ?? '');
  return syncDeployment({ deployment, replicaSets, podsOf, context });
}
