import type { GroupVersionKind, GroupVersionResource } from './group-version.js';

/** The discovery entry of a resource, with everything that generic code needs to serve or request it. */
export interface ResourceInfo extends GroupVersionResource, GroupVersionKind {
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
}

export interface SubresourceInfo extends GroupVersionKind {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** Names a resource and, to the compiler, the type of its objects. */
export interface ResourceRef<T> extends GroupVersionResource, GroupVersionKind {
  readonly namespaced: boolean;
  /** Never set: it carries the type. */
  readonly __type?: T;
}
