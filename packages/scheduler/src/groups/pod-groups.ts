import { isTerminalPod, type Pod, refs, type schedulingv1alpha2 } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import type { InformerFactory, SharedInformer } from '@coracle/client';
import type { ClusterEvent } from '../queue/cluster-event.js';

export type PodGroup = schedulingv1alpha2.PodGroup;

/** The plugin that makes pods of a group wait for each other. */
export const gangSchedulingName = 'GangScheduling';

/** The pod group that a pod belongs to, as `namespace/name`. */
export function groupOf({ metadata, spec }: Pod): ObjectKey | undefined {
  const name = spec?.schedulingGroup?.podGroupName;
  return name ? `${metadata.namespace}/${name}` : undefined;
}

/** The label whose values divide the nodes into topology domains, one of which takes all pods of the group. */
export function topologyKeyOf(group: PodGroup | undefined): string | undefined {
  return group?.spec.schedulingConstraints?.topology?.[0]?.key;
}

/**
 * Whether preemption for the group is workload-aware. The API server keeps a disruption mode only while the gate
 * WorkloadAwarePreemption is on, and sets one for every group then.
 */
export function isPreemptorAsGroup(group: PodGroup | undefined): boolean {
  return group?.spec.disruptionMode !== undefined;
}

export interface PodGroupsOptions {
  readonly informers: InformerFactory;
  /** Notifies the queue of events that may help. */
  readonly wake: (event: ClusterEvent) => void;
  /** Where a pod is or is assumed to be. */
  readonly nodeOf: (uid: string) => string | undefined;
}

/** The pod groups with their pods, scheduled and waiting. */
export class PodGroups {
  readonly #options: PodGroupsOptions;
  /** Group → uids of pods that have not ended. */
  readonly #members = new Map<ObjectKey, Set<string>>();
  #groups: SharedInformer<PodGroup> | undefined;

  constructor(options: PodGroupsOptions) {
    this.#options = options;
    options.informers.for(refs.pods).addHandler(({ type, object }) => {
      const group = groupOf(object);
      if (group === undefined) return;
      const uid = object.metadata.uid ?? '';
      if (type === 'deleted' || isTerminalPod(object)) this.#remove(group, uid);
      else {
        this.#members.set(group, (this.#members.get(group) ?? new Set<string>()).add(uid));
        if (type === 'added') options.wake({ kind: 'group-changed', group });
      }
    });
  }

  /** The kind is not served by default, so it is not watched before a pod refers to a group. */
  get(key: ObjectKey): PodGroup | undefined {
    this.#groups ??= this.#watch();
    return this.#groups.get(key);
  }

  members(key: ObjectKey): ReadonlySet<string> {
    return this.#members.get(key) ?? new Set();
  }

  /** The nodes of bound and reserved pods, one for each pod. */
  nodesOf(key: ObjectKey): string[] {
    return [...this.members(key)].flatMap((uid) => this.#options.nodeOf(uid) ?? []);
  }

  /** Minimum number of scheduled pods before any of them may run. */
  minCount(key: ObjectKey): number {
    return this.get(key)?.spec.schedulingPolicy.gang?.minCount ?? 1;
  }

  #watch(): SharedInformer<PodGroup> {
    const { informers, wake } = this.#options;
    const groups = informers.for(refs.podGroups);
    groups.addHandler((event) => {
      const { metadata, spec } = event.object;
      // The scheduler writes the status itself, and only a smaller minimum lets more groups fit.
      const helps =
        event.type === 'added' || (event.type === 'updated' && minCount(spec) < minCount(event.previous.spec));
      if (helps) wake({ kind: 'group-changed', group: `${metadata.namespace}/${metadata.name}` });
    });
    return groups;
  }

  #remove(group: ObjectKey, uid: string): void {
    const members = this.#members.get(group);
    members?.delete(uid);
    if (members?.size === 0) this.#members.delete(group);
  }
}

function minCount({ schedulingPolicy }: PodGroup['spec']): number {
  return schedulingPolicy.gang?.minCount ?? 1;
}
