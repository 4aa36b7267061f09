import type { Pod } from '@coracle/api';

/** Annotation with the source of a pod: `api`, or `file` and `http` for static pods. */
export const sourceAnnotation = 'kubernetes.io/config.source';
/** Annotation with the hash of a static pod's manifest. */
export const hashAnnotation = 'kubernetes.io/config.hash';
/** Annotation with the time at which the kubelet first saw the pod. */
export const seenAnnotation = 'kubernetes.io/config.seen';
/** Annotation of a mirror pod with the hash of its static pod. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** A static pod of a node. */
export function isStaticPod({ metadata }: Pod): boolean {
  const source = metadata.annotations?.[sourceAnnotation];
  return source !== undefined && source !== 'api' && !isMirrorPod({ metadata });
}

/** A mirror pod. */
export function isMirrorPod({ metadata }: Pick<Pod, 'metadata'>): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}
