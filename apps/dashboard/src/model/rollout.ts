import type { KubeObject } from '@coracle/apimachinery';

/** One replica set of a deployment at one moment. */
export interface SetSize {
  readonly name: string;
  readonly revision: number;
  readonly image: string;
  readonly desired: number;
  readonly ready: number;
}

export interface RolloutFrame {
  readonly at: number;
  readonly sets: readonly SetSize[];
}

interface ReplicaSet extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

/** The replica sets of a deployment, the oldest first. */
export function setsOf(deployment: KubeObject, replicaSets: readonly KubeObject[]): SetSize[] {
  return (replicaSets as readonly ReplicaSet[])
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid))
    .map(({ metadata, spec, status }) => ({
      name: metadata.name ?? '',
      revision: Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0),
      image: spec?.template?.spec?.containers?.[0]?.image ?? '',
      desired: spec?.replicas ?? 0,
      ready: status?.readyReplicas ?? 0,
    }))
    .sort((a, b) => a.revision - b.revision);
}

const mostFrames = 600;

/** The frames with another one, unless nothing has changed since the last. */
export function withFrame(frames: readonly RolloutFrame[], frame: RolloutFrame): readonly RolloutFrame[] {
  if (JSON.stringify(frames.at(-1)?.sets) === JSON.stringify(frame.sets)) return frames;
  return [...frames, frame].slice(-mostFrames);
}

/** Sets that have had pods in any of the frames: those that a picture needs. */
export function shownSets(frames: readonly RolloutFrame[]): string[] {
  const names = new Set<string>();
  for (const { sets } of frames) for (const { name, desired, ready } of sets) if (desired + ready > 0) names.add(name);
  return [...names];
}
