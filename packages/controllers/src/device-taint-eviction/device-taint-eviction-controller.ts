import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { formatTime, isConflict, isNotFound, keyOf, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { planDeviceEviction } from './plan-device-eviction.js';

/** Takes pods off devices whose NoExecute taints their claims do not, or no longer, tolerate. */
export const deviceTaintEvictionController: Controller = {
  name: 'device-taint-eviction-controller',
  component: 'device-taint-eviction-controller',
  start(context) {
    const { informers } = context;
    const claims = informers.for(refs.resourceClaims);
    return runKeyed(context, {
      name: 'device_taint_eviction',
      watch: (queue) => {
        const addUsers = (claim: resourcev1.ResourceClaim) => {
          for (const { resource, name } of claim.status?.reservedFor ?? [])
            if (resource === 'pods') queue.add(`${claim.metadata.namespace}/${name}`);
        };
        return [
          informers.for(refs.pods).addHandler(({ type, object }) => {
            if (type !== 'deleted' && object.spec?.nodeName && object.spec.resourceClaims) queue.add(keyOf(object));
          }),
          claims.addHandler(({ type, object }) => {
            if (type !== 'deleted') addUsers(object);
          }),
          informers.for(refs.resourceSlices).addHandler(({ object }) => {
            const { driver, pool } = object.spec;
            for (const claim of claims.list())
              if (resultsOf(claim).some((one) => one.driver === driver && one.pool === pool.name)) addUsers(claim);
          }),
        ];
      },
      reconcile: (key) => syncPod(key, context),
    });
  },
};

function resultsOf({ status }: resourcev1.ResourceClaim): readonly resourcev1.DeviceRequestAllocationResult[] {
  return status?.allocation?.devices?.results ?? [];
}

async function syncPod(key: ObjectKey, context: ControllerContext): Promise<{ requeueAfterMs: number } | undefined> {
  const { informers, clock } = context;
  const pod = informers.for(refs.pods).get(key);
  if (!pod?.spec?.nodeName || pod.metadata.deletionTimestamp) return undefined;
  const claims = informers
    .for(refs.resourceClaims)
    .list()
    .filter(({ status }) => status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid));
  const now = clock.now();
  const end = planDeviceEviction({ claims, now, taintsOf: (device) => taintsOf(context, device) });
  if (end === undefined) return undefined;
  if (end > now) return { requeueAfterMs: end - now };
  await evict(key, pod, context);
  return undefined;
}

function taintsOf(
  { informers }: ControllerContext,
  { driver, pool, device }: resourcev1.DeviceRequestAllocationResult,
): readonly resourcev1.DeviceTaint[] {
  return informers
    .for(refs.resourceSlices)
    .list()
    .filter(({ spec }) => spec.driver === driver && spec.pool.name === pool)
    .flatMap(({ spec }) => spec.devices ?? [])
    .filter(({ name }) => name === device)
    .flatMap(({ taints = [] }) => taints);
}

/** Says why on the pod itself, then deletes it. */
async function evict(key: ObjectKey, pod: Pod, { client, recorder, clock }: ControllerContext): Promise<void> {
  const { namespace, name } = splitObjectKey(key);
  const { uid = '', generation } = pod.metadata;
  recorder.event(
    { ...pod, apiVersion: 'v1', kind: 'Pod' },
    'Normal',
    'DeviceTaintManagerEviction',
    'Marking for deletion',
  );
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByDeviceTaintManager',
    message: 'Device Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: formatTime(clock.now()),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  const pods = client.resource(refs.pods, namespace);
  try {
    await pods.patch(
      name,
      { metadata: { uid }, status: { conditions: [condition] } },
      { type: 'strategic', subresource: 'status' },
    );
    await pods.delete(name, { preconditions: { uid } });
  } catch (error) {
    // Another pod of the same name is none of our business.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
