import type { Node } from '@coracle/api';
import type { KubeObject, ObjectKey } from '@coracle/apimachinery';
import type { InformerEvent } from '@coracle/client';
import type { PodInfo } from '../cache/pod-info.js';

/** Something that happened in the cluster and may let a waiting pod fit. */
export type ClusterEvent =
  | { readonly kind: 'node-added' | 'node-deleted'; readonly node: Node }
  | { readonly kind: 'node-updated'; readonly node: Node; readonly previous: Node }
  /** A pod that is bound: it came or went, or changed. */
  | { readonly kind: 'pod-added' | 'pod-deleted'; readonly pod: PodInfo }
  | { readonly kind: 'pod-updated'; readonly pod: PodInfo; readonly previous: PodInfo }
  /** Something else that plugins may wait for: volumes, claims, classes, namespaces. */
  | {
      readonly kind: 'other';
      readonly resource: string;
      readonly change?: InformerEvent<KubeObject>;
      /** Its subjects, if it can help only pods that refer to one of them; else it may help any. */
      readonly about?: readonly string[];
    }
  /** A pod group came or changed, or a pod of it came: `namespace/name`. */
  | { readonly kind: 'group-changed'; readonly group: ObjectKey }
  /** The waiting pod itself changed. */
  | { readonly kind: 'self-updated' };
