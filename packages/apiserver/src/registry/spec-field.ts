import type { KubeObject } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';

type Specified = KubeObject & { spec?: unknown };

/** Whether two objects have the very same spec. */
export function sharesSpec(a: KubeObject, b: KubeObject): boolean {
  const { spec } = a as Specified;
  return spec !== undefined && spec === (b as Specified).spec;
}

/** Gives the object a copy of a spec that it has in common with others. */
export function takeOwnSpec(object: KubeObject): void {
  (object as Specified).spec = deepCopy((object as Specified).spec);
}
