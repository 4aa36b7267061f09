import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

/**
 * Number of specs that are compared: comparing with one that differs in its last field costs as much as comparing with
 * an equal one.
 */
const mostKept = 2;

type Specified = KubeObject & { spec?: unknown };

/**
 * The specs of the last objects that were created of a kind. Many objects differ in their metadata alone, as the pods
 * of a template do. They share one spec: it is stored once, and results that were computed for it (its validity, its
 * text, its fields) apply to all of them.
 */
export class RecentSpecs {
  /** Specs of stored objects, which never change. The most recent one first. */
  readonly #specs: unknown[] = [];

  /** Replaces the spec of the object by an equal one. */
  share(object: KubeObject): void {
    const own = object as Specified;
    if (own.spec === undefined) return;
    const equalSpec = this.#specs.find((spec) => deepEqual(spec, own.spec));
    if (equalSpec !== undefined) own.spec = equalSpec;
  }

  /** Adds the spec of an object that has been stored. */
  add(object: KubeObject): void {
    const { spec } = object as Specified;
    if (typeof spec !== 'object' || this.#specs[0] === spec) return;
    this.#specs.unshift(spec);
    if (this.#specs.length > mostKept) this.#specs.pop();
  }
}
