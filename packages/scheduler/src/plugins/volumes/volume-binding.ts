import { type PersistentVolumeClaim, refs } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { type Clock, Deferred, type Millis } from '@coracle/base';
import type { Client, InformerFactory } from '@coracle/client';
import { stateKey } from '../../framework/cycle-state.js';
import type { FilterPlugin, PreBindPlugin, PreFilterPlugin, ReservePlugin } from '../../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../../framework/verdict.js';
import { planVolumes, selectedNode, type VolumePlan } from './plan-volumes.js';
import { claimNames, isBound, type PodClaims, readPodClaims } from './pod-claims.js';
import { changesOf } from './volume-changes.js';
import { type VolumeListers, volumeListers } from './volume-listers.js';

const boundByController = 'pv.kubernetes.io/bound-by-controller';

export interface VolumeBindingDependencies {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  /** Timeout for volumes to be bound; ten minutes unless configured. */
  readonly timeoutMs: Millis;
}

const claimsKey = stateKey<PodClaims>('VolumeBinding/claims');
const planKey = stateKey<VolumePlan>('VolumeBinding/plan');

/**
 * Filters nodes by the volumes of the pod. Claims with delayed binding get a volume that is reachable from the node, or
 * are provisioned there; the pod is bound after them.
 */
export function volumeBinding(
  dependencies: VolumeBindingDependencies,
): PreFilterPlugin & FilterPlugin & ReservePlugin & PreBindPlugin {
  const listers = volumeListers(dependencies.informers);
  /** By volume: the claim for which it is assumed, until the API shows it. */
  const assumed = new Map<string, ObjectKey>();
  return {
    name: 'VolumeBinding',
    wakesOn: changesOf(
      'persistentvolumeclaims',
      'persistentvolumes',
      'storageclasses',
      'csinodes',
      'csidrivers',
      'csistoragecapacities',
    ),
    preFilter(state, { pod }) {
      if (claimNames(pod).length === 0) return { kind: 'skip' };
      const result = readPodClaims(pod, listers);
      if (result.kind === 'refused') return { kind: 'unschedulable-and-unresolvable', reasons: [result.reason] };
      state.write(claimsKey, result.claims);
      return { kind: 'ready' };
    },
    filter(state, _pod, { node }) {
      const claims = state.read(claimsKey);
      if (!claims) return fits;
      const result = planVolumes({ claims, node, listers, assumedFor: (name) => assumed.get(name) });
      return result.kind === 'plan' ? fits : unschedulableAndUnresolvable(...result.reasons);
    },
    reserve(state, _pod, nodeName) {
      const claims = state.read(claimsKey);
      if (!claims || claims.delayed.length === 0) return fits;
      const node = state.allNodes.find(({ name }) => name === nodeName)?.node;
      if (!node) return fits;
      const result = planVolumes({ claims, node, listers, assumedFor: (name) => assumed.get(name) });
      if (result.kind === 'conflict') return unschedulableAndUnresolvable(...result.reasons);
      for (const { claim, volume } of result.plan.bindings) assumed.set(volume.metadata.name ?? '', keyOf(claim));
      state.write(planKey, result.plan);
      return fits;
    },
    unreserve(state) {
      for (const { volume } of state.read(planKey)?.bindings ?? []) assumed.delete(volume.metadata.name ?? '');
    },
    hasPreBindWork: (state) => state.read(planKey) !== undefined,
    async preBind(state, _pod, nodeName) {
      const plan = state.read(planKey);
      if (!plan) return;
      await carryOut(dependencies.client, plan, nodeName);
      await state.resting(untilBound(dependencies, plan, listers));
      for (const { volume } of plan.bindings) assumed.delete(volume.metadata.name ?? '');
    },
  };
}

/**
 * Writes the claim into assumed volumes, which the volume controller then binds, and the selected node into the other
 * claims.
 */
async function carryOut(client: Client, { bindings, provisions }: VolumePlan, nodeName: string): Promise<void> {
  for (const { claim, volume } of bindings) {
    if (volume.spec?.claimRef?.uid) continue;
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = claim.metadata;
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
    // Bindings made by a user are kept.
    const annotations = volume.spec?.claimRef
      ? volume.metadata.annotations
      : { ...volume.metadata.annotations, [boundByController]: 'yes' };
    await client.resource(refs.persistentVolumes).update({
      ...volume,
      metadata: { ...volume.metadata, ...(annotations && { annotations }) },
      spec: { ...volume.spec, claimRef },
    });
  }
  for (const claim of provisions) {
    const annotations = { ...claim.metadata.annotations, [selectedNode]: nodeName };
    await client
      .resource(refs.persistentVolumeClaims, claim.metadata.namespace)
      .update({ ...claim, metadata: { ...claim.metadata, annotations } });
  }
}

async function untilBound(
  { informers, clock, timeoutMs }: VolumeBindingDependencies,
  { bindings, provisions }: VolumePlan,
  listers: VolumeListers,
): Promise<void> {
  const keys = [...bindings.map(({ claim }) => claim), ...provisions].map(keyOf);
  const provisionKeys = new Set(provisions.map(keyOf));
  const done = new Deferred<void>();
  const check = () => {
    const claims = keys.map((key) => ({ key, claim: listers.claim(key) }));
    const problem = claims.map((one) => problemOf(one, provisionKeys)).find((text) => text !== undefined);
    if (problem !== undefined) done.reject(new Error(problem));
    else if (claims.every(({ claim }) => claim && isBound(claim))) done.resolve();
  };
  // The cache may not contain the last write yet: a written claim is checked from its next change on.
  const following = informers.for(refs.persistentVolumeClaims).addHandler(({ object, type }) => {
    if (type !== 'added' && keys.includes(keyOf(object))) check();
  });
  const timer = clock.schedule(timeoutMs, () => done.reject(new Error('binding volumes: context deadline exceeded')));
  try {
    if (keys.every((key) => isBoundNow(listers.claim(key)))) return;
    await done.promise;
  } finally {
    timer[Symbol.dispose]();
    following[Symbol.dispose]();
  }
}

function isBoundNow(claim: PersistentVolumeClaim | undefined): boolean {
  return claim !== undefined && isBound(claim);
}

/**
 * A driver that cannot provision a volume on the node removes the selected node from the claim: another node is chosen
 * then.
 */
function problemOf(
  { key, claim }: { readonly key: ObjectKey; readonly claim: PersistentVolumeClaim | undefined },
  provisionKeys: ReadonlySet<ObjectKey>,
): string | undefined {
  if (!claim || claim.metadata.deletionTimestamp) return `binding volumes: persistentvolumeclaim "${key}" not found`;
  if (provisionKeys.has(key) && !isBound(claim) && claim.metadata.annotations?.[selectedNode] === undefined)
    return `binding volumes: provisioning failed for PVC "${claim.metadata.name}"`;
  return undefined;
}
