import { type Pod, rulesOf } from '@coracle/api';
import { formatFieldError, writeJson } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import { hashAnnotation, sourceAnnotation } from './pod-origin.js';

/** The location of a manifest. */
export interface ManifestOrigin {
  readonly nodeName: string;
  readonly source: 'file' | 'http';
  /** The file or the URL. */
  readonly location: string;
}

const podKind = { group: '', version: 'v1', kind: 'Pod' };

/** The pod of a manifest: its name ends with the node's, and its uid is a hash of the manifest. */
export function staticPod(manifest: Pod, { nodeName, source, location }: ManifestOrigin): Pod {
  const pod = deepCopy(manifest);
  rulesOf<Pod>(podKind).setDefaults?.(pod);
  const hash = hashOfText(writeJson([nodeName, source, location, pod]));
  const { name = '', namespace, uid, annotations } = pod.metadata;
  const spec = { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName };
  // A static pod runs whatever the state of the node: it tolerates all NoExecute taints.
  if (source === 'file') spec.tolerations = [...(spec.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name: `${name}-${nodeName.toLowerCase()}`,
      namespace: namespace ?? 'default',
      uid: uid ?? hash,
      annotations: { ...annotations, [hashAnnotation]: uid ?? hash, [sourceAnnotation]: source },
    },
    spec,
    status: { phase: 'Pending' },
  };
}

/** Validation errors of a pod in a manifest. */
export function staticPodProblems(pod: Pod): string[] {
  return (rulesOf<Pod>(podKind).validate?.(pod) ?? []).map(formatFieldError);
}

/** 32 hexadecimal digits: a hash of the text. */
function hashOfText(text: string): string {
  const seeds = [0x811c9dc5, 0x01234567, 0x9e3779b9, 0x85ebca6b];
  return seeds.map((seed) => hash32(text, seed).toString(16).padStart(8, '0')).join('');
}

function hash32(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) ^ (hash >>> 15);
  return hash >>> 0;
}
