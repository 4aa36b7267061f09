import type { KubeObject } from '@coracle/apimachinery';

export interface Change {
  readonly what: 'created' | 'changed' | 'deleted';
  readonly metadata: KubeObject['metadata'];
}

/** The changes of the objects of a kind between two revisions. */
export function changesBetween(before: readonly KubeObject[], after: readonly KubeObject[]): Change[] {
  const byUid = (objects: readonly KubeObject[]) => new Map(objects.map(({ metadata }) => [metadata.uid, metadata]));
  const [old, now] = [byUid(before), byUid(after)];
  const changes: Change[] = [];
  for (const [uid, metadata] of now) {
    const was = old.get(uid);
    if (!was) changes.push({ what: 'created', metadata });
    else if (was.resourceVersion !== metadata.resourceVersion) changes.push({ what: 'changed', metadata });
  }
  for (const [uid, metadata] of old) if (!now.has(uid)) changes.push({ what: 'deleted', metadata });
  return changes.sort((a, b) => Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion));
}
