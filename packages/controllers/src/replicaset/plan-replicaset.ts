import type { Pod } from '@coracle/api';
import { type RankContext, rankForDeletion } from '../rank-pods.js';

export interface ReplicaSetView {
  readonly desired: number;
  /** Its active pods. */
  readonly active: readonly Pod[];
}

/** The changes to make, as data. */
export interface ReplicaSetPlan {
  readonly create: number;
  readonly delete: readonly Pod[];
}

/** Maximum number of pods that are created or deleted in one pass. */
const burst = 500;

/** Pure. */
export function planReplicaSet({ desired, active }: ReplicaSetView, rank: RankContext): ReplicaSetPlan {
  const missing = desired - active.length;
  if (missing >= 0) return { create: Math.min(missing, burst), delete: [] };
  const surplus = Math.min(-missing, burst);
  return { create: 0, delete: rankForDeletion(active, rank).slice(0, surplus) };
}
