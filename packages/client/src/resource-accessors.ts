import { refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { ResourceClient } from './resource-client.js';

type Refs = typeof refs;

/** `client.pods('default')` for every built-in resource, with the types of its objects. */
export type ResourceAccessors = {
  readonly [Name in keyof Refs]: Refs[Name] extends ResourceRef<infer T extends KubeObject>
    ? (namespace?: string) => ResourceClient<T>
    : never;
};

interface HasResource {
  resource(ref: ResourceRef<KubeObject>, namespace?: string): ResourceClient<KubeObject>;
}

/** Created once from a constant table: the prototype of every client. */
let prototype: object | undefined;

export function accessorPrototype(): object {
  prototype ??= Object.fromEntries(Object.entries(refs).map(([name, ref]) => [name, accessorTo(ref)]));
  return prototype;
}

function accessorTo(ref: ResourceRef<KubeObject>) {
  return function (this: HasResource, namespace?: string): ResourceClient<KubeObject> {
    return this.resource(ref, namespace);
  };
}
