import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { type Cluster, useCluster } from '../data/cluster.js';
import { useDependents } from '../data/use-dependents.js';
import { useAsked } from '../data/use-live.js';
import { idOf, refFor } from '../model/catalog.js';
import { box, type GraphNode, layoutOf, type PlacedNode } from '../model/graph-layout.js';
import type { OwnedObject } from '../model/owned-tree.js';
import { useWords } from '../words/use-words.js';
import { Link, objectPath } from './link.js';

interface OwnerGraphProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
}

/** The owners and dependents of an object. */
export default function OwnerGraph({ info, object }: OwnerGraphProps) {
  const w = useWords();
  const cluster = useCluster();
  const { uid = '', namespace, name = '', resourceVersion, ownerReferences } = object.metadata;
  const owned = useDependents({ uid, namespace, version: resourceVersion });
  // Owners hardly ever change.
  const owners = useAsked((signal) => ownersOf(cluster, object, signal), JSON.stringify([uid, ownerReferences]));
  if (!owned || owners.at === 'loading') return <p className="dim">{w.loading}</p>;
  const self: GraphNode = { key: uid, kind: info.kind, name, isSelf: true, children: shown(owned) };
  const above = owners.at === 'there' ? owners.value : [];
  if (owned.length === 0 && above.length === 0) return <p className="dim">{w.standsAlone}</p>;
  const root = above.reduce((node: GraphNode, owner) => ({ ...owner, children: [node] }), self);
  const { nodes, edges, width, height } = layoutOf(root);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <section className="graph" tabIndex={0} aria-label={`${info.kind} ${object.metadata.name}`}>
      <svg width={width + 4} height={height + 4} viewBox={`-2 -2 ${width + 4} ${height + 4}`}>
        <title>{w.ownersAndChildren}</title>
        {edges.map(({ from, to }) => (
          <path key={`${from.node.key}-${to.node.key}`} d={curve(from, to)} />
        ))}
        {nodes.map((placed) => (
          <Box key={placed.node.key} placed={placed} />
        ))}
      </svg>
    </section>
  );
}

function curve(from: PlacedNode, to: PlacedNode): string {
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x, to.y + box.height / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`;
}

function Box({ placed }: { readonly placed: PlacedNode }) {
  const { node, x, y } = placed;
  const short = node.name.length > 26 ? `${node.name.slice(0, 25)}…` : node.name;
  const content = (
    <g transform={`translate(${x},${y})`} className={node.isSelf ? 'self' : ''}>
      <title>{`${node.kind}/${node.name}`}</title>
      <rect width={box.width} height={box.height} rx="6" />
      <text x="10" y="16" className="kind">
        {node.kind}
      </text>
      <text x="10" y="33">
        {short}
      </text>
    </g>
  );
  return node.href ? <Link href={node.href}>{content}</Link> : content;
}

const mostChildren = 30;

/** Its owner, the owner of that, and so on. */
async function ownersOf(
  cluster: Cluster,
  { metadata: { namespace, ownerReferences = [] } }: KubeObject,
  signal: AbortSignal,
): Promise<readonly GraphNode[]> {
  const above: GraphNode[] = [];
  let owners = ownerReferences;
  for (let depth = 0; depth < 6; depth++) {
    const owner = owners.find(({ controller }) => controller) ?? owners[0];
    if (!owner) break;
    const of = cluster.catalog.byKind(owner.apiVersion, owner.kind);
    const scope = of?.namespaced ? namespace : undefined;
    const href = of && objectPath(idOf(of), scope, owner.name);
    above.push({ key: owner.uid, kind: owner.kind, name: owner.name, href, isSelf: false, children: [] });
    if (!of) break;
    const found = await cluster.client
      .metadata(refFor(of), scope)
      .get(owner.name, { signal })
      .catch(() => undefined);
    owners = found?.metadata.ownerReferences ?? [];
  }
  return above;
}

function shown(owned: readonly OwnedObject[]): GraphNode[] {
  const nodes = owned.slice(0, mostChildren).map(
    ({ info, metadata, owned: below }): GraphNode => ({
      key: metadata.uid ?? '',
      kind: info.kind,
      name: metadata.name ?? '',
      href: objectPath(idOf(info), metadata.namespace, metadata.name ?? ''),
      isSelf: false,
      children: shown(below),
    }),
  );
  const more = owned.length - mostChildren;
  if (more > 0)
    nodes.push({ key: `more-${owned[0]?.metadata.uid}`, kind: '…', name: `+ ${more}`, isSelf: false, children: [] });
  return nodes;
}
