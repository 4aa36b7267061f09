import type { OwnerReference } from '@coracle/apimachinery';

const capacity = 500;

/** Where a reference leads: the same uid under other coordinates is another claim, and may be a false one. */
export interface Coordinates extends Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'> {
  /** Empty for what is in no namespace. */
  readonly namespace: string;
}

/** Owners that are known not to exist, so that a thousand dependents cost one request. Uids are never reused. */
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
