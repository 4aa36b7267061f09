import type { KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

/** To compare with one that differs in its last field costs as much as to compare with one that is the same. */
const mostKept = 2;

type Specified = KubeObject & { spec?: unknown };

/**
 * The specs of the last objects that were made of a kind. Objects come in series that differ in their metadata alone,
 * as the pods of a template do. Those of a series share one spec: it is held once, and all that was found out about it
 * (that it is valid, its text, its fields) holds for each of them.
 */
export class Series {
  /** Of stored objects, and so never changed. The last one first. */
  readonly #specs: unknown[] = [];

  /** Takes the spec of the object from the series, if it says the same. */
  share(object: KubeObject): void {
    const own = object as Specified;
    if (own.spec === undefined) return;
    const known = this.#specs.find((spec) => deepEqual(spec, own.spec));
    if (known !== undefined) own.spec = known;
  }

  /** Notes the spec of an object that has been stored. */
  add(object: KubeObject): void {
    const { spec } = object as Specified;
    if (typeof spec !== 'object' || this.#specs[0] === spec) return;
    this.#specs.unshift(spec);
    if (this.#specs.length > mostKept) this.#specs.pop();
  }
}
