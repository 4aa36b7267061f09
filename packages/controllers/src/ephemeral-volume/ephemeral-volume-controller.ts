import { type PersistentVolumeClaim, type Pod, refs, type Volume } from '@coracle/api';
import { controllerOf, isAlreadyExists, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';

/** Creates a claim for each generic ephemeral volume of a pod. The pod owns the claim. */
export const ephemeralVolumeController: Controller = {
  name: 'ephemeral-volume-controller',
  component: 'ephemeral_volume',
  start(context) {
    const { informers } = context;
    // The metrics exist before anything has been created.
    for (const counter of Object.values(creationMetrics(context))) counter.add(0);
    const pods = informers.for(refs.pods);
    return runKeyed(context, {
      name: 'ephemeral_volume',
      watch: (queue) => [
        pods.addHandler(({ type, object }) => {
          if (type !== 'deleted' && ephemeralVolumes(object).length > 0) queue.add(keyOf(object));
        }),
        informers.for(refs.persistentVolumeClaims).addHandler(({ type, object }) => {
          const owner = controllerOf(object);
          if (type === 'deleted' && owner?.kind === 'Pod') queue.add(`${object.metadata.namespace}/${owner.name}`);
        }),
      ],
      reconcile: (key) => sync(key, context),
    });
  },
};

function ephemeralVolumes({ spec }: Pod): Volume[] {
  return (spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
}

async function sync(key: ObjectKey, context: ControllerContext): Promise<void> {
  const pod = context.informers.for(refs.pods).get(key);
  if (!pod || pod.metadata.deletionTimestamp) return;
  for (const volume of ephemeralVolumes(pod)) {
    try {
      await ensureClaim(context, pod, volume);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const message = `ephemeral volume ${volume.name}: ${messageOf(error)}`;
      context.recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 'Warning', 'FailedBinding', message);
      throw error;
    }
  }
}

async function ensureClaim(context: ControllerContext, pod: Pod, volume: Volume): Promise<void> {
  const { client, informers } = context;
  const claim = claimFor(pod, volume);
  const { name = '', namespace } = claim.metadata;
  const claims = client.resource(refs.persistentVolumeClaims, namespace);
  const existing = informers.for(refs.persistentVolumeClaims).get(`${namespace}/${name}`);
  if (existing) return checkOwner(existing, pod);
  const { total, failures } = creationMetrics(context);
  total.add(1);
  try {
    await claims.create(claim);
  } catch (error) {
    failures.add(1);
    if (!isAlreadyExists(error)) throw error;
    checkOwner(await claims.get(name), pod);
  }
}

function creationMetrics({ metrics }: ControllerContext) {
  const help = 'Number of PersistentVolumeClaims creation requests';
  return {
    total: metrics.counter({ name: 'ephemeral_volume_controller_create_total', help }),
    failures: metrics.counter({
      name: 'ephemeral_volume_controller_create_failures_total',
      help: 'Number of PersistentVolumeClaims creation requests that failed',
    }),
  };
}

function checkOwner(claim: PersistentVolumeClaim, pod: Pod): void {
  const { name, namespace } = claim.metadata;
  if (controllerOf(claim)?.uid === pod.metadata.uid) return;
  throw new Error(
    `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
  );
}

function claimFor(pod: Pod, { name, ephemeral }: Volume): PersistentVolumeClaim {
  const { name: podName = '', namespace, uid = '' } = pod.metadata;
  const { metadata, spec } = ephemeral?.volumeClaimTemplate ?? {};
  const owner = { apiVersion: 'v1', kind: 'Pod', name: podName, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${podName}-${name}`,
      ...(namespace && { namespace }),
      ...(metadata?.labels && { labels: metadata.labels }),
      ...(metadata?.annotations && { annotations: metadata.annotations }),
      ownerReferences: [owner],
    },
    spec: spec ?? {},
  };
}
