import {
  claimClass,
  findVolume,
  type Node,
  nodeSelectorMatches,
  type PersistentVolume,
  type PersistentVolumeClaim,
  termMatches,
} from '@coracle/api';
import { keyOf, LabelSelector, type ObjectKey, parseQuantity } from '@coracle/apimachinery';
import type { PodClaims } from './pod-claims.js';
import type { VolumeListers } from './volume-listers.js';

export const selectedNode = 'volume.kubernetes.io/selected-node';
const noProvisioner = 'kubernetes.io/no-provisioner';

export const conflicts = {
  bind: "node(s) didn't find available persistent volumes to bind",
  node: "node(s) didn't match PersistentVolume's node affinity",
  space: 'node(s) did not have enough free storage',
  missing: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const;

/** The plan for the delayed claims of a pod on a node. */
export interface VolumePlan {
  /** Claims that existing volumes are bound to. */
  readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  /** Claims for which the driver provisions a volume on the node. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

export type VolumesResult =
  | { readonly kind: 'plan'; readonly plan: VolumePlan }
  | { readonly kind: 'conflict'; readonly reasons: readonly string[] };

export interface PlanInput {
  readonly claims: PodClaims;
  readonly node: Node;
  readonly listers: VolumeListers;
  /** The claim for which a volume is assumed in an unfinished cycle; `undefined` if it is free. */
  assumedFor(volume: string): ObjectKey | undefined;
}

/** Computes whether and how the volumes of a pod can be bound on a node, without changing anything. */
export function planVolumes({ claims, node, listers, assumedFor }: PlanInput): VolumesResult {
  const reasons = new Set<string>();
  for (const { spec } of claims.bound) {
    const volume = listers.volume(spec?.volumeName ?? '');
    if (!volume) reasons.add(conflicts.missing);
    else if (!isReachable(volume, node)) reasons.add(conflicts.node);
  }
  const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const provisions: PersistentVolumeClaim[] = [];
  const excluded = new Set<string>();
  // The smallest claims first, so that large volumes remain for large claims.
  for (const claim of [...claims.delayed].sort(bySize)) {
    const chosen = claim.metadata.annotations?.[selectedNode];
    if (chosen !== undefined && chosen !== node.metadata.name) {
      reasons.add(conflicts.bind);
      continue;
    }
    const volumes = listers.volumesFor(claim).filter(({ metadata }) => {
      const holder = assumedFor(metadata.name ?? '');
      return holder === undefined || holder === keyOf(claim);
    });
    const volume = findVolume(claim, volumes, { excluded, isReachable: (one) => isReachable(one, node) });
    if (volume) {
      excluded.add(volume.metadata.name ?? '');
      bindings.push({ claim, volume });
      continue;
    }
    const conflict = provisioningConflict(claim, node, listers);
    if (conflict) reasons.add(conflict);
    else provisions.push(claim);
  }
  return reasons.size > 0
    ? { kind: 'conflict', reasons: [...reasons] }
    : { kind: 'plan', plan: { bindings, provisions } };
}

export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || nodeSelectorMatches(required, node);
}

function bySize(a: PersistentVolumeClaim, b: PersistentVolumeClaim): number {
  const difference = sizeOf(a) - sizeOf(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function sizeOf({ spec }: PersistentVolumeClaim): bigint {
  return parseQuantity(spec?.resources?.requests?.['storage'] ?? '0').nanos;
}

function provisioningConflict(claim: PersistentVolumeClaim, node: Node, listers: VolumeListers): string | undefined {
  const className = claimClass(claim) ?? '';
  const storageClass = listers.storageClass(className);
  if (!storageClass?.provisioner || storageClass.provisioner === noProvisioner) return conflicts.bind;
  const { allowedTopologies = [], provisioner } = storageClass;
  const isAllowed = allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    termMatches({ matchExpressions: matchLabelExpressions.map((one) => ({ ...one, operator: 'In' })) }, node),
  );
  if (allowedTopologies.length > 0 && !isAllowed) return conflicts.bind;
  if (!listers.csiDriver(provisioner)?.spec.storageCapacity) return undefined;
  const hasRoom = listers.capacities().some((capacity) => {
    const { nodeTopology, maximumVolumeSize } = capacity;
    if (capacity.storageClassName !== className || !nodeTopology) return false;
    const free = maximumVolumeSize ?? capacity.capacity;
    if (free === undefined || parseQuantity(free).nanos < sizeOf(claim)) return false;
    return LabelSelector.fromObject(nodeTopology).matches(node.metadata.labels ?? {});
  });
  return hasRoom ? undefined : conflicts.space;
}
