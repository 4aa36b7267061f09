import { nodeSelectorMatches, type Pod, refs, type resourcev1, type resourcev1beta2 } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { type Clock, type Millis, messageOf, type Random, randomUuid } from '@coracle/base';
import type { Client, EventRecorder, InformerFactory } from '@coracle/client';
import type { NodeInfo } from '../../cache/node-info.js';
import type { PodInfo } from '../../cache/pod-info.js';
import { stateKey } from '../../framework/cycle-state.js';
import { normalizeByMaximum } from '../../framework/normalize.js';
import type {
  FilterPlugin,
  PostFilterPlugin,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreFilterResult,
  PreScorePlugin,
  ReservePlugin,
  ScorePlugin,
} from '../../framework/plugin.js';
import { fits, unschedulable, unschedulableAndUnresolvable, type Verdict } from '../../framework/verdict.js';
import { allocateDevices, canAllocate } from './allocate-devices.js';
import { hasBindingConditions, isStuck, untilDevicesReady } from './binding-conditions.js';
import { claimSubjects, deviceChangeHelps } from './claim-changes.js';
import { hasAlternatives, preferenceScore } from './claim-preference.js';
import { type AllocationInput, ClaimRequests, RequestKinds, readRequests } from './claim-requests.js';
import { deviceListers } from './device-listers.js';
import { type NodeDevices, withRuleTaints } from './device-pools.js';
import { DeviceSelectors } from './device-selectors.js';
import type { ExtendedClasses } from './extended-classes.js';
import { type ExtendedClaim, extendedClaim, extendedClaimOwner } from './extended-resources.js';
import { AnswerBases, type AnswerBasis, NodeAnswer } from './node-answer.js';
import { requestProblem } from './request-problem.js';
import {
  createExtendedClaim,
  deallocateClaim,
  discardClaim,
  isFreeFor,
  nameExtendedClaim,
  releaseClaim,
  reserveClaim,
} from './reserve-claim.js';

/** The resources whose changes may let a pod with claims fit. */
export const deviceResources = [refs.resourceClaims, refs.resourceSlices, refs.deviceClasses] as const;

const resourceNames = [...deviceResources, refs.deviceTaintRulesV1beta2].map(({ resource }) => resource);

type Allocations = ReadonlyMap<ObjectKey, resourcev1.AllocationResult>;

interface ClaimState {
  readonly claims: readonly resourcev1.ResourceClaim[];
  /** The claims with an allocation, and the allocation. */
  readonly allocated: readonly AllocatedClaim[];
  /** Claims whose devices have failed, or timed out: no node can use them. */
  readonly stuck: ReadonlySet<resourcev1.ResourceClaim>;
  /** Claims whose devices some nodes cannot use: the pod may fit there after a deallocation. */
  readonly unavailable: Set<resourcev1.ResourceClaim>;
  /** The other claims, and their requests. */
  readonly missing: readonly resourcev1.ResourceClaim[];
  readonly requests: ClaimRequests;
  /** Set if only the requests and the devices of a node decide whether the pod fits there. */
  readonly basis: AnswerBasis | undefined;
  /** Extended resources that device classes provide where the node does not, each with its class. */
  readonly extended: ReadonlyMap<string, string>;
  /** A claim for extended resources from an earlier attempt. */
  readonly stale: resourcev1.ResourceClaim | undefined;
  /** The nodes that have devices for the unallocated claims. A list, because one of hundreds is looked up. */
  readonly nodes: NodeInfo[];
  /** The allocations of these claims on the selected node. */
  reserved?: NodeAllocation;
  /** The claim for extended resources, once it has been created. */
  created?: resourcev1.ResourceClaim;
  /** The claims after the pod was added to `reservedFor`. */
  readonly written: resourcev1.ResourceClaim[];
}

interface AllocatedClaim {
  readonly claim: resourcev1.ResourceClaim;
  readonly allocation: resourcev1.AllocationResult;
}

interface NodeAllocation {
  readonly allocations: Allocations;
  readonly extended: ExtendedClaim | undefined;
}

const byExtendedOwner = 'extended-resources-of-pod';
const claimsKey = stateKey<ClaimState>('DynamicResources/claims');

export interface DynamicResourcesDependencies {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: () => EventRecorder;
  /** Timeout of the search for devices on one node; 0 for no limit. */
  readonly filterTimeoutMs: Millis;
  /** Timeout for devices to become ready. */
  readonly bindingTimeoutMs: Millis;
  readonly taintRules: () => readonly resourcev1beta2.DeviceTaintRule[];
  readonly extendedClasses: ExtendedClasses;
}

type DynamicResourcesPlugin = PreEnqueuePlugin &
  PreFilterPlugin &
  FilterPlugin &
  PreScorePlugin &
  ScorePlugin &
  PostFilterPlugin &
  ReservePlugin &
  PreBindPlugin;

/** Allocates devices to the resource claims of pods, and restricts pods to nodes with such devices. */
export function dynamicResources(dependencies: DynamicResourcesDependencies): DynamicResourcesPlugin {
  const parts = partsOf(dependencies);
  const { client, listers, allocations } = parts;
  return {
    name: 'DynamicResources',
    wakesOn: [
      { event: 'node-added' },
      { event: 'node-updated' },
      { event: 'other', resources: resourceNames, subjects: claimSubjects, helps: deviceChangeHelps },
    ],
    /** Pods stay out of the active queue until their claims exist. */
    preEnqueue({ pod }) {
      const found = readPodClaims(pod, (key) => listers.claim(key));
      return typeof found === 'string' ? unschedulableAndUnresolvable(found) : fits;
    },
    preFilter(state, info) {
      const found = openClaims(parts, info);
      if ('kind' in found) return found;
      state.write(claimsKey, found);
      return { kind: 'ready' };
    },
    filter(state, { pod }, node) {
      const work = state.read(claimsKey);
      if (!work) return fits;
      const lastAnswer = work.basis && NodeAnswer.of(node, work.basis);
      if (lastAnswer === undefined) return findDevices(parts, { work, pod, node });
      if (!lastAnswer) return refusalOn(parts.inventory.on(node.node));
      work.nodes.push(node);
      return fits;
    },
    preScore: (state) => (state.read(claimsKey)?.missing.some(hasAlternatives) ? undefined : 'skip'),
    /** Prefers nodes with devices of earlier alternatives in the claims. */
    score(state, { pod }, node) {
      const work = state.read(claimsKey);
      const search = work && { work, pod, node };
      const chosen = search && allocateDevices(allocationInput(parts, search, extendedOn(search)));
      return chosen ? preferenceScore(work.missing, chosen) : 0;
    },
    normalize: (scores) => normalizeByMaximum(scores, { reverse: false }),
    async postFilter(state, { pod }) {
      const work = state.read(claimsKey);
      return { message: work ? await giveUpClaim(client, work, pod) : 'no new claims to deallocate' };
    },
    reserve(state, { pod }, name) {
      const work = state.read(claimsKey);
      const node = work?.nodes.findLast((one) => one.name === name);
      return work && node ? chooseDevices(parts, { work, pod, node }) : fits;
    },
    unreserve(state, { pod }) {
      const work = state.read(claimsKey);
      for (const [key, allocation] of work?.reserved?.allocations ?? [])
        if (allocations.givenTo(key) === allocation) allocations.settle(key);
      for (const claim of work?.written ?? [])
        if (claim !== work?.created) void releaseClaim(client, claim, pod).catch(() => undefined);
      // If this fails, the next attempt finds the claim and continues with it.
      if (work?.created) void discardClaim(client, work.created).catch(() => undefined);
    },
    hasPreBindWork: (state) => state.read(claimsKey) !== undefined,
    async preBind(state, { pod }, nodeName) {
      const work = state.read(claimsKey);
      if (!work) return;
      await writeClaims(parts, work, pod);
      if (!work.written.some(hasBindingConditions)) return;
      const note = `waiting for binding conditions for device on node ${nodeName}`;
      dependencies.recorder().event(pod, 'Normal', 'BindingConditionsPending', note, 'Scheduling');
      await state.resting(untilDevicesReady({ ...dependencies, timeoutMs: parts.bindingTimeoutMs }, work.written));
    },
  };
}

/** One function for all profiles, whose plugins share the informer and its indexes. */
function extendedOwners(claim: resourcev1.ResourceClaim): readonly string[] {
  const owner = extendedClaimOwner(claim);
  return owner === undefined ? [] : [owner];
}

type Parts = ReturnType<typeof partsOf>;

function partsOf(dependencies: DynamicResourcesDependencies) {
  const { informers, random, clock, filterTimeoutMs } = dependencies;
  const claims = informers.for(refs.resourceClaims);
  claims.addIndex(byExtendedOwner, extendedOwners);
  const listers = deviceListers(informers);
  const { inventory, allocations } = listers;
  return {
    ...dependencies,
    claims,
    listers,
    inventory,
    allocations,
    selectors: new DeviceSelectors(),
    kinds: new RequestKinds(),
    bases: new AnswerBases(),
    classOf: (name: string) => listers.deviceClass(name),
    shareId: () => randomUuid(random),
    timeLimit: filterTimeoutMs > 0 ? { clock, limitMs: filterTimeoutMs } : undefined,
  };
}

/** The device requests of the pod, if it has any and its claims exist. */
function openClaims(parts: Parts, { pod, requests, uid }: PodInfo): ClaimState | PreFilterResult {
  const { claims, classOf, listers, extendedClasses, allocations, clock, bindingTimeoutMs } = parts;
  const extended = extendedClasses.of(requests);
  if (!pod.spec?.resourceClaims?.length && extended.size === 0) return { kind: 'skip' };
  const found = readPodClaims(pod, (key) => listers.claim(key));
  const problem = typeof found === 'string' ? found : classProblem(found, classOf);
  if (typeof found === 'string' || problem !== undefined)
    return { kind: 'unschedulable-and-unresolvable', reasons: [problem ?? ''] };
  // Templates may have created no claims.
  if (found.length === 0 && extended.size === 0) return { kind: 'skip' };
  const stale = extended.size > 0 ? claims.byIndex(byExtendedOwner, uid)[0] : undefined;
  const missing = found.filter((claim) => !allocations.of(claim));
  const missingRequests = new ClaimRequests(missing, parts);
  const allocated = found.flatMap((claim) => {
    const allocation = allocations.of(claim);
    return allocation ? [{ claim, allocation }] : [];
  });
  const isPlain = missing.length > 0 && allocated.length === 0 && extended.size === 0;
  const stuck = new Set(found.filter((claim) => isStuck(claim, clock.now(), bindingTimeoutMs)));
  return {
    claims: found,
    allocated,
    stuck,
    unavailable: new Set(stuck),
    missing,
    requests: missingRequests,
    basis: isPlain ? basisOf(parts, missingRequests) : undefined,
    extended,
    stale,
    nodes: [],
    written: [],
  };
}

/** DeviceTaintRules are not part of the cached results of a node. */
function basisOf(
  { allocations, bases, inventory, taintRules }: Parts,
  { kind }: ClaimRequests,
): AnswerBasis | undefined {
  if (taintRules().length > 0) return undefined;
  return bases.of(kind, { version: inventory.version, use: allocations.devices });
}

interface NodeSearch {
  readonly work: ClaimState;
  readonly pod: Pod;
  readonly node: NodeInfo;
}

/** Records the node if it has devices for the unallocated claims. */
function findDevices(parts: Parts, search: NodeSearch): Verdict {
  const { work, node } = search;
  if (work.stale) return unschedulable('cannot schedule extended resource claim');
  if (!canUseAllocated(work, node)) return unschedulableAndUnresolvable('resourceclaim not available on the node');
  const input = allocationInput(parts, search, extendedOn(search));
  if (input.claims.length === 0) return fits;
  const problem = requestProblem(input);
  if (problem !== undefined) throw new Error(`running "DynamicResources" filter plugin: ${problem}`);
  const answer = canAllocate(input);
  if (answer === 'timed-out') return overdue;
  const found = input.available.answers.get(work.requests.kind);
  if (work.basis && found) node.devices = new NodeAnswer(work.basis, found);
  if (answer === 'no') return refusalOn(input.available);
  work.nodes.push(node);
  return fits;
}

/** Whether existing allocations can be used on the node. */
function canUseAllocated({ allocated, stuck, unavailable }: ClaimState, { node }: NodeInfo): boolean {
  if (allocated.length === 0) return true;
  let canUse = stuck.size === 0;
  for (const { claim, allocation } of allocated) {
    const { nodeSelector } = allocation;
    if (!nodeSelector || nodeSelectorMatches(nodeSelector, node)) continue;
    unavailable.add(claim);
    canUse = false;
  }
  return canUse;
}

/** Deallocates a claim with which the pod fits nowhere, so that it can get other devices. Returns the result. */
async function giveUpClaim(client: Client, work: ClaimState, pod: Pod): Promise<string> {
  const claim = [...work.unavailable].find((one) => one.status?.allocation && isFreeFor(pod, one));
  try {
    if (claim && (await deallocateClaim(client, claim, pod))) return 'deallocation of ResourceClaim completed';
  } catch (error) {
    // The change of the claim requeues the pod.
    return messageOf(error);
  }
  if (!work.stale) return 'still not schedulable';
  await discardClaim(client, work.stale);
  return 'deletion of ResourceClaim completed';
}

const tooFewDevices = unschedulable('cannot allocate all claims');
const invalidPools = unschedulable('invalid resource pools were encountered');
const overdue = unschedulableAndUnresolvable('timed out trying to allocate devices');

/** A driver that publishes one device twice is another problem than a lack of devices. */
function refusalOn({ unusable }: NodeDevices): Verdict {
  return unusable.some(({ state }) => state === 'invalid') ? invalidPools : tooFewDevices;
}

/**
 * Allocates devices to the claims. Another pod may have got some since the node was chosen, while extenders or other
 * plugins ran.
 */
function chooseDevices(parts: Parts, search: NodeSearch): Verdict {
  const extended = extendedOn(search);
  const chosen = allocateDevices(allocationInput(parts, search, extended));
  if (!chosen) return refusalOn(parts.inventory.on(search.node.node));
  search.work.reserved = { allocations: chosen, extended };
  for (const [key, allocation] of chosen) parts.allocations.give(key, allocation);
  return fits;
}

function allocationInput(
  parts: Parts,
  { work, node: { node } }: NodeSearch,
  extended: ExtendedClaim | undefined,
): AllocationInput {
  const { allocations, inventory, selectors, shareId, taintRules, timeLimit } = parts;
  const claims = extended ? [...work.missing, extended.claim] : work.missing;
  return {
    claims,
    requests: extended ? new ClaimRequests(claims, parts) : work.requests,
    node,
    available: withRuleTaints(inventory.on(node), taintRules()),
    use: allocations.devices,
    shareId,
    selectors,
    classOf: parts.classOf,
    timeLimit,
  };
}

/** The claim for extended resources that the node itself does not have. */
function extendedOn({ work: { extended }, pod, node: { allocatable } }: NodeSearch): ExtendedClaim | undefined {
  if (extended.size === 0) return undefined;
  const classes = new Map([...extended].filter(([resource]) => !allocatable.scalar.get(resource)));
  return classes.size > 0 ? extendedClaim({ pod, classes }) : undefined;
}

/** Writes the allocations of claims, and creates the claim for extended resources. */
async function writeClaims({ client, allocations, clock }: Parts, work: ClaimState, pod: Pod): Promise<void> {
  const allocation = work.reserved;
  const now = clock.now();
  for (const claim of work.claims) {
    const key = keyOf(claim);
    const reservation = { claim, pod, allocation: allocation?.allocations.get(key) ?? allocations.givenTo(key), now };
    work.written.push(await reserveClaim(client, reservation));
  }
  if (!allocation?.extended) return;
  const { claim, mappings } = allocation.extended;
  const created = await createExtendedClaim(client, allocation.extended);
  work.created = created;
  const reservation = { claim: created, pod, allocation: allocation.allocations.get(keyOf(claim)), now };
  work.written.push(await reserveClaim(client, reservation));
  await nameExtendedClaim(client, pod, { resourceClaimName: created.metadata.name ?? '', mappings });
}

/** The claims of a pod, or why some are missing. */
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
    // A template may create no claim.
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
