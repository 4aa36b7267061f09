import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';

/** An object with its metadata only. */
export interface FoundObject {
  readonly info: ResourceInfo;
  readonly metadata: KubeObject['metadata'];
}

/** An object with everything that it owns. */
export interface OwnedObject extends FoundObject {
  readonly owned: readonly OwnedObject[];
}

/** The dependents of an object, direct and indirect, by kind and name. Cycles of owners end where they began. */
export function ownedTree(found: Iterable<FoundObject>, uid: string): OwnedObject[] {
  const byOwner = new Map<string, FoundObject[]>();
  for (const one of found)
    for (const owner of one.metadata.ownerReferences ?? []) {
      const beside = byOwner.get(owner.uid);
      if (beside) beside.push(one);
      else byOwner.set(owner.uid, [one]);
    }
  return below(byOwner, uid, new Set([uid]));
}

type ByOwner = ReadonlyMap<string, readonly FoundObject[]>;

function below(byOwner: ByOwner, uid: string, seen: ReadonlySet<string>): OwnedObject[] {
  return (byOwner.get(uid) ?? [])
    .filter(({ metadata }) => !seen.has(metadata.uid ?? ''))
    .map(({ info, metadata }) => {
      const own = metadata.uid ?? '';
      return { info, metadata, owned: below(byOwner, own, new Set([...seen, own])) };
    })
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function nameOf({ info, metadata }: OwnedObject): string {
  return `${info.kind}/${metadata.name}`;
}

export function countOf(objects: readonly OwnedObject[]): number {
  return objects.reduce((sum, { owned }) => sum + 1 + countOf(owned), 0);
}

/** The kinds that are in a tree. */
export function kindsIn(objects: readonly OwnedObject[]): Set<ResourceInfo> {
  return new Set(objects.flatMap(({ info, owned }) => [info, ...kindsIn(owned)]));
}
