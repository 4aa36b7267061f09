import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { formatTime, isConflict, isNotFound, keyOf, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import { type Controller, type ControllerContext, type KeyQueue, runKeyed } from '../controller.js';
import { DeviceTaintRules, type RuleHost, taintsOfRules } from './device-taint-rules.js';
import { type DeviceEviction, planDeviceEviction, type TrackedTaint } from './plan-device-eviction.js';

/**
 * Evicts pods from devices with NoExecute taints, of drivers or DeviceTaintRules, that their claims do not tolerate
 * (any longer).
 */
export const deviceTaintEvictionController: Controller = {
  name: 'device-taint-eviction-controller',
  component: 'device-taint-eviction-controller',
  start(context) {
    const claims = context.informers.for(refs.resourceClaims);
    let onTaints: RuleHost['onChange'] = () => undefined;
    const rules = new DeviceTaintRules(context, {
      onChange: (selects) => onTaints(selects),
      evictionOf: (pod, rules) => evictionOf(context, pod, rules),
    });
    const evicting = runKeyed(context, {
      name: 'device_taint_eviction',
      watch: (queue) => {
        const addUsers = (claim: resourcev1.ResourceClaim) => {
          for (const { resource, name } of claim.status?.reservedFor ?? [])
            if (resource === 'pods') queue.add(`${claim.metadata.namespace}/${name}`);
        };
        onTaints = (selects) => {
          for (const claim of claims.list()) if (resultsOf(claim).some(selects)) addUsers(claim);
        };
        return watchUsers(context, { queue, addUsers, onTaints });
      },
      reconcile: (key) => syncPod(key, context, rules),
    });
    const following = rules.start();
    return {
      async [Symbol.asyncDispose]() {
        await following[Symbol.asyncDispose]();
        await evicting[Symbol.asyncDispose]();
      },
    };
  },
};

function watchUsers(
  { informers }: ControllerContext,
  {
    queue,
    addUsers,
    onTaints,
  }: { queue: KeyQueue; addUsers: (claim: resourcev1.ResourceClaim) => void } & {
    onTaints: RuleHost['onChange'];
  },
): Disposable[] {
  return [
    informers.for(refs.pods).addHandler(({ type, object }) => {
      if (type !== 'deleted' && object.spec?.nodeName && object.spec.resourceClaims) queue.add(keyOf(object));
    }),
    informers.for(refs.resourceClaims).addHandler(({ type, object }) => {
      if (type !== 'deleted') addUsers(object);
    }),
    informers.for(refs.resourceSlices).addHandler(({ object }) => {
      const { driver, pool } = object.spec;
      onTaints((device) => device.driver === driver && device.pool === pool.name);
    }),
  ];
}

function resultsOf({ status }: resourcev1.ResourceClaim): readonly resourcev1.DeviceRequestAllocationResult[] {
  return status?.allocation?.devices?.results ?? [];
}

async function syncPod(
  key: ObjectKey,
  context: ControllerContext,
  rules: DeviceTaintRules,
): Promise<{ requeueAfterMs: number } | undefined> {
  const pod = context.informers.for(refs.pods).get(key);
  if (!pod || pod.metadata.deletionTimestamp) return undefined;
  const eviction = evictionOf(context, pod, rules.list());
  if (!eviction) return undefined;
  const now = context.clock.now();
  if (eviction.at > now) {
    rules.pending(eviction.rules);
    return { requeueAfterMs: eviction.at - now };
  }
  if (await evict(key, pod, context)) rules.evicted(eviction.rules);
  return undefined;
}

function evictionOf(
  context: ControllerContext,
  pod: Pod,
  rules: ReturnType<DeviceTaintRules['list']>,
): DeviceEviction | undefined {
  if (!pod.spec?.nodeName) return undefined;
  const claims = context.informers
    .for(refs.resourceClaims)
    .list(pod.metadata.namespace)
    .filter(({ status }) => status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid));
  const taintsOf = (device: resourcev1.DeviceRequestAllocationResult) => [
    ...taintsOfRules(rules, device),
    ...taintsOfDriver(context, device),
  ];
  return planDeviceEviction({ claims, now: context.clock.now(), taintsOf });
}

function taintsOfDriver(
  { informers }: ControllerContext,
  { driver, pool, device }: resourcev1.DeviceRequestAllocationResult,
): readonly TrackedTaint[] {
  return informers
    .for(refs.resourceSlices)
    .list()
    .filter(({ spec }) => spec.driver === driver && spec.pool.name === pool)
    .flatMap(({ spec }) => spec.devices ?? [])
    .filter(({ name }) => name === device)
    .flatMap(({ taints = [] }) => taints.map((taint) => ({ taint })));
}

/** Sets the condition with the reason on the pod, then deletes it. False if it was already deleted. */
async function evict(key: ObjectKey, pod: Pod, { client, recorder, clock }: ControllerContext): Promise<boolean> {
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
    return true;
  } catch (error) {
    // Another pod of the same name: ignored.
    if (!isNotFound(error) && !isConflict(error)) throw error;
    return false;
  }
}
