import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

/** An object that every cluster has. */
export interface WantedObject {
  readonly ref: ResourceRef<KubeObject>;
  readonly object: KubeObject;
}
