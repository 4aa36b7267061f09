import type { Column, Row } from './table.js';

/** Summary of a pod. */
export type PodState = 'running' | 'waiting' | 'failing' | 'done' | 'ending';

export const podStates: readonly PodState[] = ['running', 'waiting', 'failing', 'done', 'ending'];

export interface MappedPod {
  readonly key: string;
  readonly state: PodState;
  /** The server's own word for it. */
  readonly status: string;
}

export interface MappedNode {
  /** Empty for pods that have no node yet. */
  readonly node: string;
  readonly counts: Readonly<Record<PodState, number>>;
  /** Left out where there are too many to draw each. */
  readonly pods: readonly MappedPod[];
}

export interface PodSummary {
  readonly total: number;
  readonly counts: Readonly<Record<PodState, number>>;
  readonly nodes: readonly MappedNode[];
}

const drawnPods = 3_000;

/** Pods by node and state, from the server's table of them. */
export function summarisePods(rows: Iterable<Row>, columns: readonly Column[]): PodSummary {
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const [status, ready, node] = [at('Status'), at('Ready'), at('Node')];
  const byNode = new Map<string, MappedPod[]>();
  const counts = noPods();
  let total = 0;
  for (const row of rows) {
    total++;
    const word = String(row.cells[status] ?? '');
    const state = stateOf(word, String(row.cells[ready] ?? ''));
    counts[state]++;
    const where = nodeName(row.cells[node]);
    const list = byNode.get(where);
    const pod = { key: `${row.metadata.namespace}/${row.metadata.name}`, state, status: word };
    if (list) list.push(pod);
    else byNode.set(where, [pod]);
  }
  const nodes = [...byNode].map(([name, pods]) => mappedNode(name, pods, total <= drawnPods));
  return { total, counts, nodes: nodes.sort((a, b) => (a.node < b.node ? -1 : 1)) };
}

function nodeName(cell: unknown): string {
  return typeof cell === 'string' && cell !== '<none>' ? cell : '';
}

function mappedNode(node: string, pods: readonly MappedPod[], drawn: boolean): MappedNode {
  const counts = noPods();
  for (const { state } of pods) counts[state]++;
  return { node, counts, pods: drawn ? [...pods].sort((a, b) => (a.key < b.key ? -1 : 1)) : [] };
}

function noPods(): Record<PodState, number> {
  return { running: 0, waiting: 0, failing: 0, done: 0, ending: 0 };
}

const failing = /Err|Crash|BackOff|Failed|OOM|Evicted|Invalid|Lost|Unknown|Deadline|NodeAffinity|Unexpected/;

/** From the server's columns of a pod, which are those of kubectl. */
export function stateOf(status: string, ready: string): PodState {
  if (status === 'Terminating') return 'ending';
  if (status === 'Completed' || status === 'Succeeded') return 'done';
  if (failing.test(status)) return 'failing';
  const [have, want] = ready.split('/');
  if (status === 'Running' && have === want) return 'running';
  return 'waiting';
}
