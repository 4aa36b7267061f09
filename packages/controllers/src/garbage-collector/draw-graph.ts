import type { OwnerReference } from '@coracle/apimachinery';
import { parseApiVersion } from '@coracle/apimachinery';
import type { DebugPage } from '../controller.js';
import type { DependencyGraph, GraphNode } from './dependency-graph.js';

/** An object in the drawing. */
interface Vertex {
  readonly id: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly missing: boolean;
  readonly beingDeleted: boolean;
  readonly deletingDependents: boolean;
  readonly virtual: boolean;
}

/** The graph of owners in Graphviz format: all of it, or the part connected with the objects of these uids. */
export function drawGraph(graph: DependencyGraph, uids: readonly string[]): DebugPage {
  const nodes = uids.length > 0 ? connected(graph, uids) : graph.nodes();
  return { contentType: 'text/vnd.graphviz', text: draw(nodes) };
}

function connected(graph: DependencyGraph, uids: readonly string[]): Set<GraphNode> {
  const found = new Set<GraphNode>();
  const open = [...uids];
  for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
    const node = graph.get(uid);
    if (!node || found.has(node)) continue;
    found.add(node);
    for (const owner of node.owners) open.push(owner.uid);
    for (const dependent of node.dependents ?? []) open.push(dependent.uid);
  }
  return found;
}

/** Objects without owners and dependents are omitted: they are most of a cluster. */
function draw(nodes: Iterable<GraphNode>): string {
  const related = [...nodes].filter(({ owners, dependents }) => owners.length > 0 || dependents?.size);
  const vertices = new Map<string, Vertex>();
  for (const node of related) vertices.set(node.uid, vertexOf(node, vertices.size));
  const edges: string[] = [];
  for (const { uid, owners } of related) {
    for (const owner of owners) {
      const entry = vertices.get(owner.uid) ?? missingVertex(owner, vertices.size);
      vertices.set(owner.uid, entry);
      edges.push(`  ${vertices.get(uid)?.id} -> ${entry.id};`);
    }
  }
  const lines = ['strict digraph full {', '  // Node definitions.', ...[...vertices.values()].map(drawVertex)];
  return [...lines, '', '  // Edge definitions.', ...edges, '}'].join('\n');
}

function vertexOf({ type, ...node }: GraphNode, id: number): Vertex {
  const { namespace, name, uid, beingDeleted, deletingDependents, virtual } = node;
  const { apiVersion, kind } = type;
  return { id, apiVersion, kind, namespace, name, uid, missing: false, beingDeleted, deletingDependents, virtual };
}

function missingVertex({ apiVersion, kind, name, uid }: OwnerReference, id: number): Vertex {
  const flags = { missing: true, beingDeleted: false, deletingDependents: false, virtual: false };
  return { id, apiVersion, kind, namespace: '', name, uid, ...flags };
}

const flagNames = [
  ['beingDeleted', 'beingDeleted'],
  ['deletingDependents', 'deletingDependents'],
  ['virtual', 'virtual'],
  ['missing', 'missingFromGraph'],
] as const;

function drawVertex(vertex: Vertex): string {
  const { id, apiVersion, kind, namespace, name, uid } = vertex;
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const type = [kind, version, ...(group === '' ? [] : [group])].join('.');
  const flags = flagNames.filter(([field]) => vertex[field]).map(([, word]) => word);
  const label = `uid=${uid}\nnamespace=${namespace}\n${type}/${name}\n${flags.length > 0 ? `${flags.join(',')}\n` : ''}`;
  const { missing, beingDeleted, deletingDependents, virtual } = vertex;
  const attributes = {
    label,
    group,
    version,
    kind,
    namespace,
    name,
    uid,
    missing,
    beingDeleted,
    deletingDependents,
    virtual,
  };
  const lines = Object.entries(attributes).map(([key, value]) => `    ${key}="${value}"`);
  return `  ${id} [\n${lines.join('\n')}\n  ];`;
}
