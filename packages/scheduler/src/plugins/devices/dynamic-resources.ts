import { nodeSelectorMatches, type Pod, refs, type resourcev1, type resourcev1beta2 } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { type Random, randomUuid } from '@coracle/base';
import type { Client, InformerFactory } from '@coracle/client';
import type { PodInfo } from '../../cache/pod-info.js';
import { stateKey } from '../../framework/cycle-state.js';
import type {
  FilterPlugin,
  PostFilterPlugin,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  ReservePlugin,
} from '../../framework/plugin.js';
import { fits, unschedulable, unschedulableAndUnresolvable } from '../../framework/verdict.js';
import type { ClusterEvent } from '../../queue/cluster-event.js';
import { allocateDevices } from './allocate-devices.js';
import type { DeviceUse } from './allocated-devices.js';
import { ClaimAllocations } from './claim-allocations.js';
import { readRequests } from './claim-requests.js';
import { DeviceInventory } from './device-inventory.js';
import { deviceId, withRuleTaints } from './device-pools.js';
import { DeviceSelectors } from './device-selectors.js';

/** The resources whose changes may let a pod with claims fit. */
export const deviceResources = [refs.resourceClaims, refs.resourceSlices, refs.deviceClasses] as const;

const protection = 'resource.kubernetes.io/delete-protection';
const resourceNames = [...deviceResources, refs.deviceTaintRulesV1beta2].map(({ resource }) => resource);

type Allocations = ReadonlyMap<ObjectKey, resourcev1.AllocationResult>;

interface ClaimState {
  readonly claims: readonly resourcev1.ResourceClaim[];
  /** By node: what the claims that have nothing yet would get there. */
  readonly byNode: Map<string, Allocations>;
}

const claimsKey = stateKey<ClaimState>('DynamicResources/claims');

export interface DynamicResourcesDependencies {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly random: Random;
  readonly taintRules: () => readonly resourcev1beta2.DeviceTaintRule[];
}

/** Finds devices for the resource claims of pods, and keeps pods to the nodes where they can have them. */
export function dynamicResources({
  client,
  informers,
  random,
  taintRules,
}: DynamicResourcesDependencies): PreEnqueuePlugin &
  PreFilterPlugin &
  FilterPlugin &
  PostFilterPlugin &
  ReservePlugin &
  PreBindPlugin {
  const selectors = new DeviceSelectors();
  const claims = informers.for(refs.resourceClaims);
  const classes = informers.for(refs.deviceClasses);
  const inventory = new DeviceInventory(informers);
  const allocations = ClaimAllocations.following(informers);
  return {
    name: 'DynamicResources',
    wakesOn: [
      { event: 'node-added' },
      { event: 'node-updated' },
      { event: 'other', resources: resourceNames, helps: deviceChangeHelps },
    ],
    /** Pods wait outside of the queue until their claims are there. */
    preEnqueue({ pod }) {
      const found = readPodClaims(pod, (key) => claims.get(key));
      return typeof found === 'string' ? unschedulableAndUnresolvable(found) : fits;
    },
    preFilter(state, { pod }) {
      if (!pod.spec?.resourceClaims?.length) return { kind: 'skip' };
      const found = readPodClaims(pod, (key) => claims.get(key));
      const problem = typeof found === 'string' ? found : classProblem(found, (name) => classes.get(name));
      if (typeof found === 'string' || problem !== undefined)
        return { kind: 'unschedulable-and-unresolvable', reasons: [problem ?? ''] };
      state.write(claimsKey, { claims: found, byNode: new Map() });
      return { kind: 'ready' };
    },
    filter(state, _pod, { node, name }) {
      const work = state.read(claimsKey);
      if (!work) return fits;
      const allocated = work.claims.filter((claim) => allocations.of(claim));
      const isElsewhere = allocated.some((claim) => {
        const selector = allocations.of(claim)?.nodeSelector;
        return selector && !nodeSelectorMatches(selector, node);
      });
      if (isElsewhere) return unschedulableAndUnresolvable('resourceclaim not available on the node');
      const missing = work.claims.filter((claim) => !allocated.includes(claim));
      if (missing.length === 0) return fits;
      const found = allocateDevices({
        claims: missing,
        node,
        available: withRuleTaints(inventory.on(node), taintRules()),
        use: allocations.devices,
        shareId: () => randomUuid(random),
        selectors,
        classOf: (className) => classes.get(className),
      });
      if (!found) return unschedulable('cannot allocate all claims');
      work.byNode.set(name, found);
      return fits;
    },
    postFilter: () => ({ message: 'no new claims to deallocate' }),
    reserve(state, _pod, node) {
      const work = state.read(claimsKey);
      for (const [key, allocation] of work?.byNode.get(node) ?? []) {
        if (isTakenMeanwhile(allocation, allocations.devices)) return unschedulable('cannot allocate all claims');
        allocations.give(key, allocation);
      }
      return fits;
    },
    unreserve(state, _pod, node) {
      for (const [key, allocation] of state.read(claimsKey)?.byNode.get(node) ?? [])
        if (allocations.givenTo(key) === allocation) allocations.settle(key);
    },
    async preBind(state, { pod }, node) {
      const work = state.read(claimsKey);
      const given = work?.byNode.get(node);
      for (const claim of work?.claims ?? []) {
        const key = keyOf(claim);
        await reserveClaim(client, { claim, pod, allocation: given?.get(key) ?? allocations.givenTo(key) });
      }
    },
  };
}

/** Of claims, the pod's own, and those that give devices back. Any other change may bring devices that suit. */
export function deviceChangeHelps(event: ClusterEvent, { pod, uid }: PodInfo): boolean {
  if (event.kind !== 'other') return false;
  const { change } = event;
  if (event.resource !== refs.resourceClaims.resource || !change) return true;
  const claim = change.object as resourcev1.ResourceClaim;
  const before = change.type === 'updated' ? (change.previous as resourcev1.ResourceClaim) : undefined;
  if (change.type === 'deleted' ? claim.status?.allocation : before?.status?.allocation && !claim.status?.allocation)
    return true;
  if (claim.metadata.namespace !== pod.metadata.namespace) return false;
  const { name } = claim.metadata;
  return (
    (claim.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid) ||
    (pod.spec?.resourceClaims ?? []).some(({ resourceClaimName }) => resourceClaimName === name) ||
    (pod.status?.resourceClaimStatuses ?? []).some(({ resourceClaimName }) => resourceClaimName === name)
  );
}

/** The claims of a pod, or why there are not all. */
export function readPodClaims(
  { metadata, spec, status }: Pod,
  find: (key: ObjectKey) => resourcev1.ResourceClaim | undefined,
): resourcev1.ResourceClaim[] | string {
  const found: resourcev1.ResourceClaim[] = [];
  for (const { name, resourceClaimName, resourceClaimTemplateName } of spec?.resourceClaims ?? []) {
    const made = status?.resourceClaimStatuses?.find((one) => one.name === name);
    if (resourceClaimTemplateName && !made)
      return `waiting for dynamic resource controller to create the resourceclaim for pod claim ${JSON.stringify(name)}`;
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    // A template may ask for none.
    if (claimName === undefined) continue;
    const claim = find(`${metadata.namespace}/${claimName}`);
    if (!claim) return `resourceclaim ${JSON.stringify(claimName)} not found`;
    if (claim.metadata.deletionTimestamp) return `resourceclaim ${JSON.stringify(claimName)} is being deleted`;
    found.push(claim);
  }
  return found;
}

function classProblem(
  claims: readonly resourcev1.ResourceClaim[],
  classOf: (name: string) => resourcev1.DeviceClass | undefined,
): string | undefined {
  for (const claim of claims)
    for (const { choices } of claim.status?.allocation ? [] : readRequests(claim))
      for (const { name, className } of choices)
        if (!classOf(className)) return `request ${name}: device class ${className} does not exist`;
  return undefined;
}

/** Another pod may have got the devices between the choice of the node and now. */
function isTakenMeanwhile({ devices }: resourcev1.AllocationResult, use: DeviceUse): boolean {
  return (devices?.results ?? []).some(
    (result) =>
      !result.adminAccess &&
      (use.isTaken(deviceId(result)) || (result.shareID === undefined && use.isShared(deviceId(result)))),
  );
}

interface Reservation {
  readonly claim: resourcev1.ResourceClaim;
  readonly pod: Pod;
  readonly allocation: resourcev1.AllocationResult | undefined;
}

/** Protects a claim that gets devices from deletion, then writes what it has and who uses it. */
async function reserveClaim(client: Client, { claim, pod, allocation }: Reservation): Promise<void> {
  const { name: claimName = '', namespace } = claim.metadata;
  const { name = '', uid = '' } = pod.metadata;
  const api = client.resource(refs.resourceClaims, namespace);
  let current = await api.get(claimName);
  if (current.metadata.uid !== claim.metadata.uid) throw new Error(`resourceclaim "${claimName}" was replaced`);
  const reservedFor = current.status?.reservedFor ?? [];
  if (current.status?.allocation && reservedFor.some((consumer) => consumer.uid === uid)) return;
  const { finalizers = [] } = current.metadata;
  if (!current.status?.allocation && !finalizers.includes(protection))
    current = await api.update({
      ...current,
      metadata: { ...current.metadata, finalizers: [...finalizers, protection] },
    });
  const given = current.status?.allocation ?? allocation;
  if (!given) throw new Error(`resourceclaim "${claimName}" lost its allocation`);
  await api.updateStatus({
    ...current,
    status: {
      ...current.status,
      allocation: given,
      reservedFor: [...reservedFor, { resource: 'pods', name, uid }],
    },
  });
}
