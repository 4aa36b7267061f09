import type { PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet, Volume } from '@coracle/api';
import { deepCopy } from '@coracle/base';
import { type PodOwner, podFromTemplate } from '../pod-control.js';
import { revisionLabel } from '../revisions/revision-history.js';

const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';
export const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet' } as const;

/** The ordinal of a pod, if its name is that of the set with a number; other pods do not belong to it. */
export function ordinalOf({ metadata }: Pod, set: StatefulSet): number | undefined {
  const match = /^(.*)-(\d+)$/.exec(metadata.name ?? '');
  return match && match[1] === set.metadata.name ? Number(match[2]) : undefined;
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

export function firstOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

export function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[revisionLabel];
}

export interface NewPod {
  readonly ordinal: number;
  readonly template: PodTemplateSpec;
  /** The name of the revision with this template. */
  readonly revision: string;
}

/** The pod with this ordinal: name, address and storage are stable. */
export function makePod(set: StatefulSet, { ordinal, template, revision }: NewPod): Pod {
  const podOwner: PodOwner = { object: set, ...owner };
  const { metadata, ...pod } = podFromTemplate(podOwner, template);
  const name = podName(set, ordinal);
  const named = { ...pod, metadata: { ...metadata, name, labels: { ...metadata.labels, [revisionLabel]: revision } } };
  const { serviceName } = set.spec ?? {};
  const spec = { ...named.spec, hostname: name, ...(serviceName && { subdomain: serviceName }) };
  return withIdentity(set, { ...named, spec } as Pod);
}

/** The identity of a pod: its labels and its volumes. */
export function withIdentity(set: StatefulSet, pod: Pod): Pod {
  const ordinal = ordinalOf(pod, set) ?? 0;
  const labels = {
    ...pod.metadata.labels,
    [podNameLabel]: pod.metadata.name ?? '',
    [podIndexLabel]: String(ordinal),
  };
  const metadata = { ...pod.metadata, labels };
  return { ...pod, metadata, spec: { ...pod.spec, ...volumesOf(set, pod, ordinal) } } as Pod;
}

function volumesOf(set: StatefulSet, pod: Pod, ordinal: number): { volumes?: Volume[] } {
  const claims = set.spec?.volumeClaimTemplates ?? [];
  if (claims.length === 0) return pod.spec?.volumes ? { volumes: pod.spec.volumes } : {};
  const own = claims.map((claim) => ({
    name: claim.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  const others = (pod.spec?.volumes ?? []).filter(({ name }) => !own.some((volume) => volume.name === name));
  return { volumes: [...own, ...others] };
}

/** Whether a pod still has the identity of its ordinal, such as after a manual change. */
export function hasIdentity(set: StatefulSet, pod: Pod): boolean {
  const { labels = {}, name } = pod.metadata;
  if (labels[podNameLabel] !== name || labels[podIndexLabel] === undefined) return false;
  const ordinal = ordinalOf(pod, set) ?? 0;
  return (set.spec?.volumeClaimTemplates ?? []).every((claim) => {
    const volume = pod.spec?.volumes?.find((one) => one.name === claim.metadata?.name);
    return volume?.persistentVolumeClaim?.claimName === claimName(set, claim, ordinal);
  });
}

function claimName(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata?.name}-${podName(set, ordinal)}`;
}

/** The claims of the pod with this number. */
export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => {
    const { status: _unset, ...claim } = deepCopy(template);
    const labels = { ...claim.metadata?.labels, ...set.spec?.selector?.matchLabels };
    const { namespace } = set.metadata;
    const metadata = {
      ...claim.metadata,
      name: claimName(set, template, ordinal),
      ...(namespace && { namespace }),
      labels,
    };
    return { ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata };
  });
}
