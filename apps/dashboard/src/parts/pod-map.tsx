import type { KubeObject } from '@coracle/apimachinery';
import { memo, useMemo } from 'react';
import { useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { may } from '../model/access-rules.js';
import { type NodeUse, nodeUseOf } from '../model/node-use.js';
import { type MappedNode, type PodSummary, podStates } from '../model/pod-map.js';
import { useWords } from '../words/use-words.js';
import { kindPath, Link, objectPath } from './link.js';
import { useNodeMetrics } from './use-node-metrics.js';

/** Nodes with their pods as squares, coloured by state; where there are too many, as bars. */
export function PodMap({ summary }: { readonly summary: PodSummary }) {
  const w = useWords();
  const { access } = useCluster();
  const seesNodes = access.onlyNamespace === undefined && may(access, 'list', refs.nodes);
  const { items } = useLive<KubeObject>(seesNodes ? { ref: refs.nodes } : undefined);
  const metrics = useNodeMetrics(seesNodes);
  const nodes = useMemo(() => withEmptyNodes(summary.nodes, items), [summary, items]);
  const uses = useMemo(
    () => new Map(items.map((node) => [node.metadata.name ?? '', nodeUseOf(node, metrics)])),
    [items, metrics],
  );
  return (
    <section className="panel" aria-labelledby="map">
      <div className="page-head">
        <h2 id="map">{w.podsByNode}</h2>
        <span className="grow" />
        <div className="legend">
          {podStates.map((state) => (
            <span key={state}>
              <i className={`is-${state}`} />
              {w.podState[state]}
            </span>
          ))}
        </div>
      </div>
      <div className="map">
        {nodes.map((node) => (
          <NodeTile key={node.node} node={node} use={uses.get(node.node)} />
        ))}
      </div>
      {nodes.length === 0 && <div className="empty">{w.noPods}</div>}
    </section>
  );
}

function withEmptyNodes(mapped: readonly MappedNode[], nodes: readonly KubeObject[]): readonly MappedNode[] {
  const nodeNames = new Set(mapped.map(({ node }) => node));
  const counts = { running: 0, waiting: 0, failing: 0, done: 0, ending: 0 };
  const empty = nodes
    .map(({ metadata }) => metadata.name ?? '')
    .filter((name) => !nodeNames.has(name))
    .map((node) => ({ node, counts, pods: [] }));
  return [...mapped, ...empty].sort((a, b) => a.node.localeCompare(b.node, 'en', { numeric: true }));
}

interface NodeTileProps {
  readonly node: MappedNode;
  readonly use: NodeUse | undefined;
}

const NodeTile = memo(
  function NodeTile({ node, use }: NodeTileProps) {
    const w = useWords();
    const total = podStates.reduce((sum, state) => sum + node.counts[state], 0);
    return (
      <div className="node">
        <div className="node-head">
          {node.node ? (
            <Link href={objectPath('nodes', undefined, node.node)}>{node.node}</Link>
          ) : (
            <b>{w.withoutNode}</b>
          )}
          <Link href={kindPath('pods', node.node ? { field: `spec.nodeName=${node.node}` } : { q: 'pending' })}>
            {w.podCount(total)}
          </Link>
        </div>
        {node.pods.length > 0 ? (
          <ul className="pods">
            {node.pods.map(({ key, state, status }) => {
              const [namespace, name = ''] = key.split('/');
              return (
                <li key={key}>
                  <Link
                    href={objectPath('pods', namespace, name)}
                    className={`is-${state}`}
                    title={`${key} · ${status}`}
                  >
                    <span className="hidden-visually">
                      {key}, {w.podState[state]}
                    </span>
                  </Link>
                </li>
              );
            })}
          </ul>
        ) : (
          <StateBar node={node} total={total} />
        )}
        {use && <Use use={use} />}
      </div>
    );
  },
  (a, b) => JSON.stringify(a) === JSON.stringify(b),
);

function StateBar({ node, total }: { readonly node: MappedNode; readonly total: number }) {
  if (total === 0) return null;
  return (
    <div className="meter" style={{ height: 14 }}>
      {podStates.map((state) => (
        <i key={state} className={`is-${state}`} style={{ width: `${(100 * node.counts[state]) / total}%` }} />
      ))}
    </div>
  );
}

function Use({ use }: { readonly use: NodeUse }) {
  const w = useWords();
  return (
    <div className="dim" style={{ marginTop: 8, fontSize: 12 }}>
      {!use.ready && <span className="badge failing">{w.notReady}</span>}{' '}
      {use.cordoned && <span className="badge waiting">{w.cordoned}</span>}
      {use.meters.map(({ name, share, text }) => (
        <div key={name}>
          {name === 'cpu' ? 'CPU' : w.memory} {text}
          <div className="meter">
            <i style={{ width: `${Math.min(100, share * 100)}%` }} />
          </div>
        </div>
      ))}
    </div>
  );
}
