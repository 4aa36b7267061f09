import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { may } from '../model/access-rules.js';
import { idOf, refFor } from '../model/catalog.js';
import { mayShow } from '../model/navigation.js';
import type { Cluster } from './cluster.js';

/** An object with everything that it owns. */
export interface OwnedObject {
  readonly info: ResourceInfo;
  readonly metadata: KubeObject['metadata'];
  readonly owned: readonly OwnedObject[];
}

interface Found {
  readonly info: ResourceInfo;
  readonly metadata: KubeObject['metadata'];
}

/** Kinds without owners, some of them with very many objects. */
const left = new Set([
  'events',
  'events.events.k8s.io',
  'componentstatuses',
  'pods.metrics.k8s.io',
  'nodes.metrics.k8s.io',
]);
const mostPages = 20;

/** Everything that an object owns, directly and through others, of the kinds that the user may list. */
export async function dependentsOf(
  cluster: Cluster,
  { uid, namespace }: { readonly uid: string; readonly namespace: string | undefined },
  signal: AbortSignal,
): Promise<readonly OwnedObject[]> {
  const { catalog, access } = cluster;
  const kinds = catalog.kinds.filter(
    (info) =>
      !left.has(idOf(info)) && may(access, 'list', info) && mayShow(info, access) && (!namespace || info.namespaced),
  );
  const byOwner = new Map<string, Found[]>();
  await Promise.all(kinds.map((info) => collect({ cluster, info, namespace, signal, byOwner })));
  return below(byOwner, uid, new Set([uid]));
}

interface Collecting {
  readonly cluster: Cluster;
  readonly info: ResourceInfo;
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  readonly byOwner: Map<string, Found[]>;
}

/** A kind that cannot be read (an aggregated server may be down) is left out. */
async function collect({ cluster, info, namespace, signal, byOwner }: Collecting): Promise<void> {
  const client = cluster.client.metadata(refFor(info), info.namespaced ? namespace : undefined);
  let next: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const list = await client.list({ limit: 500, ...(next && { continue: next }), signal }).catch(() => undefined);
    for (const { metadata } of list?.items ?? [])
      for (const { uid } of metadata.ownerReferences ?? [])
        byOwner.set(uid, [...(byOwner.get(uid) ?? []), { info, metadata }]);
    next = list?.metadata.continue;
    if (!next) return;
  }
}

function below(byOwner: ReadonlyMap<string, readonly Found[]>, uid: string, seen: ReadonlySet<string>): OwnedObject[] {
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
