import type { Pod } from '@coracle/api';
import { refs } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import type { InformerFactory } from '@coracle/client';

/** The pod group that a pod belongs to, as `namespace/name`. */
export function groupOf({ metadata, spec }: Pod): ObjectKey | undefined {
  const name = spec?.schedulingGroup?.podGroupName;
  return name ? `${metadata.namespace}/${name}` : undefined;
}

/** The pods of every group: those that have a node, and those that wait for one. */
export class GangMembers {
  /** Group → uid → whether the pod has a node. */
  readonly #groups = new Map<ObjectKey, Map<string, boolean>>();
  /** Group → uids of pods that have a place, and are not bound yet. */
  readonly #reserved = new Map<ObjectKey, Set<string>>();

  /** Group → uids of pods that fitted nowhere when they were last tried. */
  readonly #refused = new Map<ObjectKey, Set<string>>();

  /** `onNew` is called with the group of each new pod without a node. */
  constructor(informers: InformerFactory, onNew: (group: ObjectKey) => void) {
    informers.for(refs.pods).addHandler(({ type, object }) => {
      const group = groupOf(object);
      if (group === undefined) return;
      const uid = object.metadata.uid ?? '';
      const { phase } = object.status ?? {};
      if (type === 'deleted' || phase === 'Succeeded' || phase === 'Failed') {
        this.#remove(group, uid);
        return;
      }
      const members = this.#groups.get(group) ?? new Map<string, boolean>();
      this.#groups.set(group, members.set(uid, Boolean(object.spec?.nodeName)));
      if (type === 'added' && !object.spec?.nodeName) onNew(group);
    });
  }

  count(group: ObjectKey): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  /** How many have a node, or a place that is kept for them. */
  placed(group: ObjectKey): number {
    const members = [...(this.#groups.get(group) ?? [])];
    return members.filter(([uid, isBound]) => isBound || this.#reserved.get(group)?.has(uid)).length;
  }

  reserved(group: ObjectKey): readonly string[] {
    return [...(this.#reserved.get(group) ?? [])];
  }

  /** The pod fits nowhere. */
  refuse(group: ObjectKey, uid: string): void {
    this.#refused.set(group, (this.#refused.get(group) ?? new Set()).add(uid));
  }

  /** Whether too few are left that may still find a place. */
  isHopeless(group: ObjectKey, minCount: number): boolean {
    return this.count(group) - (this.#refused.get(group)?.size ?? 0) < minCount;
  }

  /** The pod has a place. True if it fitted nowhere before. */
  reserve(group: ObjectKey, uid: string): boolean {
    this.#reserved.set(group, (this.#reserved.get(group) ?? new Set()).add(uid));
    return this.#refused.get(group)?.delete(uid) ?? false;
  }

  unreserve(group: ObjectKey, uid: string): void {
    const reserved = this.#reserved.get(group);
    reserved?.delete(uid);
    if (reserved?.size === 0) this.#reserved.delete(group);
  }

  #remove(group: ObjectKey, uid: string): void {
    this.unreserve(group, uid);
    this.#refused.get(group)?.delete(uid);
    const members = this.#groups.get(group);
    members?.delete(uid);
    if (members?.size === 0) {
      this.#groups.delete(group);
      this.#refused.delete(group);
    }
  }
}
