import type { OwnerReference } from '@coracle/apimachinery';

const capacity = 500;

/** The target of a reference: the same uid with other coordinates is a separate entry, which may be wrong. */
export interface Coordinates extends Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'> {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
}

/** Cache of owners that do not exist, so that a thousand dependents cost one request. Uids are never reused. */
export class AbsentOwners {
  /** Least recently used first. */
  readonly #uids = new Set<string>();

  add(owner: Coordinates): void {
    this.#renew(keyOf(owner));
    if (this.#uids.size <= capacity) return;
    for (const oldest of this.#uids) {
      this.#uids.delete(oldest);
      return;
    }
  }

  has(owner: Coordinates): boolean {
    const key = keyOf(owner);
    if (!this.#uids.has(key)) return false;
    this.#renew(key);
    return true;
  }

  #renew(key: string): void {
    this.#uids.delete(key);
    this.#uids.add(key);
  }
}

function keyOf({ apiVersion, kind, namespace, name, uid }: Coordinates): string {
  return `${uid} ${apiVersion} ${kind} ${namespace}/${name}`;
}
