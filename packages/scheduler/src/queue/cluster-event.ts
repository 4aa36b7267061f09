import type { Node } from '@coracle/api';
import type { KubeObject, ObjectKey } from '@coracle/apimachinery';
import type { InformerEvent } from '@coracle/client';
import type { PodInfo } from '../cache/pod-info.js';

/** A change in the cluster that may make a waiting pod schedulable. */
export type ClusterEvent =
  | { readonly kind: 'node-added' | 'node-deleted'; readonly node: Node }
  | { readonly kind: 'node-updated'; readonly node: Node; readonly previous: Node }
  /** A bound pod was added, updated or deleted. */
  | { readonly kind: 'pod-added' | 'pod-deleted'; readonly pod: PodInfo }
  | { readonly kind: 'pod-updated'; readonly pod: PodInfo; readonly previous: PodInfo }
  /** Another resource that plugins depend on: volumes, claims, classes, namespaces. */
  | {
      readonly kind: 'other';
      readonly resource: string;
      readonly change?: InformerEvent<KubeObject>;
      /** Its subjects, if it can help only pods that refer to one of them; otherwise it may help any pod. */
      readonly about?: readonly string[];
    }
  /** A pod group was added or updated, or a pod of it was added: `namespace/name`. */
  | { readonly kind: 'group-changed'; readonly group: ObjectKey }
  /** The waiting pod itself changed. */
  | { readonly kind: 'self-updated' };
