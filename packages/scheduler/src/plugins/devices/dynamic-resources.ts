import { nodeSelectorMatches, type Pod, refs, type resourcev1, type resourcev1beta2 } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import type { Client, InformerFactory } from '@coracle/client';
import { stateKey } from '../../framework/cycle-state.js';
import type {
  FilterPlugin,
  PostFilterPlugin,
  PreBindPlugin,
  PreFilterPlugin,
  ReservePlugin,
} from '../../framework/plugin.js';
import { fits, unschedulable, unschedulableAndUnresolvable } from '../../framework/verdict.js';
import { allocateDevices } from './allocate-devices.js';
import { readRequests } from './claim-requests.js';
import { deviceId, devicesOf, withRuleTaints } from './device-pools.js';
import { DeviceSelectors } from './device-selectors.js';

/** The resources whose changes may let a pod with claims fit. */
export const deviceResources = [refs.resourceClaims, refs.resourceSlices, refs.deviceClasses] as const;

const protection = 'resource.kubernetes.io/delete-protection';
const resourceNames: ReadonlySet<string> = new Set(
  [...deviceResources, refs.deviceTaintRulesV1beta2].map(({ resource }) => resource),
);

type Allocations = ReadonlyMap<ObjectKey, resourcev1.AllocationResult>;

interface ClaimState {
  readonly claims: readonly resourcev1.ResourceClaim[];
  /** Devices that other claims have, or will have in a moment. */
  readonly taken: ReadonlySet<string>;
  /** By node: what the claims that have nothing yet would get there. */
  readonly byNode: Map<string, Allocations>;
}

const claimsKey = stateKey<ClaimState>('DynamicResources/claims');

export interface DynamicResourcesDependencies {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly taintRules: () => readonly resourcev1beta2.DeviceTaintRule[];
}

/** Finds devices for the resource claims of pods, and keeps pods to the nodes where they can have them. */
export function dynamicResources({
  client,
  informers,
  taintRules,
}: DynamicResourcesDependencies): PreFilterPlugin & FilterPlugin & PostFilterPlugin & ReservePlugin & PreBindPlugin {
  const selectors = new DeviceSelectors();
  const claims = informers.for(refs.resourceClaims);
  const slices = informers.for(refs.resourceSlices);
  const classes = informers.for(refs.deviceClasses);
  /** What was given to claims whose status does not say it yet. */
  const inFlight = new Map<ObjectKey, resourcev1.AllocationResult>();
  return {
    name: 'DynamicResources',
    wakesOn: [
      { event: 'node-added' },
      { event: 'node-updated' },
      { event: 'other', helps: (event) => event.kind === 'other' && resourceNames.has(event.resource) },
    ],
    preFilter(state, { pod }) {
      if (!pod.spec?.resourceClaims?.length) return { kind: 'skip' };
      const found = readPodClaims(pod, (key) => claims.get(key));
      const problem = typeof found === 'string' ? found : classProblem(found, (name) => classes.get(name));
      if (typeof found === 'string' || problem !== undefined)
        return { kind: 'unschedulable-and-unresolvable', reasons: [problem ?? ''] };
      state.write(claimsKey, { claims: found, taken: takenDevices(claims.list(), inFlight), byNode: new Map() });
      return { kind: 'ready' };
    },
    filter(state, _pod, { node, name }) {
      const work = state.read(claimsKey);
      if (!work) return fits;
      const allocated = work.claims.filter((claim) => allocationIn(claim, inFlight));
      const isElsewhere = allocated.some((claim) => {
        const selector = allocationIn(claim, inFlight)?.nodeSelector;
        return selector && !nodeSelectorMatches(selector, node);
      });
      if (isElsewhere) return unschedulableAndUnresolvable('resourceclaim not available on the node');
      const missing = work.claims.filter((claim) => !allocated.includes(claim));
      if (missing.length === 0) return fits;
      const found = allocateDevices({
        claims: missing,
        node,
        available: withRuleTaints(devicesOf(node, slices.list()), taintRules()),
        taken: work.taken,
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
        const clash = deviceIdsOf(allocation).some((id) => takenDevices(claims.list(), inFlight).has(id));
        if (clash) return unschedulable('cannot allocate all claims');
        inFlight.set(key, allocation);
      }
      return fits;
    },
    unreserve(state, _pod, node) {
      for (const [key, allocation] of state.read(claimsKey)?.byNode.get(node) ?? [])
        if (inFlight.get(key) === allocation) inFlight.delete(key);
    },
    async preBind(state, { pod }, node) {
      const work = state.read(claimsKey);
      const given = work?.byNode.get(node);
      for (const claim of work?.claims ?? []) {
        const key = keyOf(claim);
        await reserveClaim(client, { claim, pod, allocation: given?.get(key) ?? inFlight.get(key) });
        if (given?.has(key)) inFlight.delete(key);
      }
    },
  };
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

function allocationIn(
  claim: resourcev1.ResourceClaim,
  inFlight: ReadonlyMap<ObjectKey, resourcev1.AllocationResult>,
): resourcev1.AllocationResult | undefined {
  return claim.status?.allocation ?? inFlight.get(keyOf(claim));
}

function takenDevices(
  claims: readonly resourcev1.ResourceClaim[],
  inFlight: ReadonlyMap<ObjectKey, resourcev1.AllocationResult>,
): Set<string> {
  const known = claims.flatMap(({ status }) => (status?.allocation ? [status.allocation] : []));
  return new Set([...known, ...inFlight.values()].flatMap(deviceIdsOf));
}

/** Those that only one claim can have. */
function deviceIdsOf({ devices }: resourcev1.AllocationResult): string[] {
  return (devices?.results ?? []).filter(({ adminAccess }) => !adminAccess).map(deviceId);
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
