import type { Pod } from '@coracle/api';

/** Where a pod comes from: `api`, or `file` and `http` for the node's own. */
export const sourceAnnotation = 'kubernetes.io/config.source';
/** What a static pod was made from: another manifest, another hash. */
export const hashAnnotation = 'kubernetes.io/config.hash';
/** When a kubelet first saw it. */
export const seenAnnotation = 'kubernetes.io/config.seen';
/** On the pod in the API that shows a static pod: the hash of that. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** A static pod of a node. */
export function isStaticPod({ metadata }: Pod): boolean {
  const source = metadata.annotations?.[sourceAnnotation];
  return source !== undefined && source !== 'api' && !isMirrorPod({ metadata });
}

/** What the API shows of a static pod. */
export function isMirrorPod({ metadata }: Pick<Pod, 'metadata'>): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}
