import type { KubeObject } from '@coracle/apimachinery';

/** An older state of a workload that one can go back to. */
export interface Revision {
  readonly number: number;
  readonly created: string;
  readonly images: readonly string[];
  readonly cause: string;
  readonly isCurrent: boolean;
  /** What makes the workload as it was then. */
  readonly patch: { readonly type: 'json' | 'strategic'; readonly body: unknown };
}

interface Template {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>>; readonly annotations?: object };
  readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
}

interface Owned extends KubeObject {
  readonly spec?: { readonly template?: Template };
  readonly data?: { readonly spec?: { readonly template?: Template } };
  readonly revision?: number;
}

const revisionAnnotation = 'deployment.kubernetes.io/revision';

/** The revisions of a workload, from its replica sets (deployments) or controller revisions, the newest first. */
export function revisionsOf(workload: KubeObject, owned: readonly KubeObject[]): Revision[] {
  const own = (owned as readonly Owned[]).filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid }) => uid === workload.metadata.uid),
  );
  const revisions = own.map((one) => (one.data ? fromControllerRevision(one) : fromReplicaSet(one)));
  const newest = Math.max(...revisions.map(({ number }) => number));
  return revisions.map((one) => ({ ...one, isCurrent: one.number === newest })).sort((a, b) => b.number - a.number);
}

function fromReplicaSet({ metadata, spec }: Owned): Revision {
  const { labels: { 'pod-template-hash': _, ...labels } = {}, ...rest } = spec?.template?.metadata ?? {};
  const template = { ...spec?.template, metadata: { ...rest, labels } };
  return {
    ...common(metadata, spec?.template),
    number: Number(metadata.annotations?.[revisionAnnotation] ?? 0),
    patch: { type: 'json', body: [{ op: 'replace', path: '/spec/template', value: template }] },
  };
}

function fromControllerRevision({ metadata, data, revision }: Owned): Revision {
  return { ...common(metadata, data?.spec?.template), number: revision ?? 0, patch: { type: 'strategic', body: data } };
}

function common(metadata: KubeObject['metadata'], template: Template | undefined) {
  return {
    created: metadata.creationTimestamp ?? '',
    images: (template?.spec?.containers ?? []).map(({ image }) => image ?? ''),
    cause: metadata.annotations?.['kubernetes.io/change-cause'] ?? '',
    isCurrent: false,
  };
}
