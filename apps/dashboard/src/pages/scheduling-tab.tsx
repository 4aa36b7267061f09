import type { KubeObject } from '@coracle/apimachinery';
import { useCluster } from '../data/cluster.js';
import { useAsked } from '../data/use-live.js';
import { type Attempt, groupAttempts } from '../model/scheduling.js';
import { ErrorNote } from '../parts/error-note.js';
import { Link, objectPath } from '../parts/link.js';
import { useWords } from '../words/use-words.js';

/** The server's explanation of a pod; see `why-pod.ts` of the scheduler. */
interface Explanation {
  readonly node?: string;
  readonly gates: readonly string[];
  readonly attempts: readonly Attempt[];
  readonly nodes: readonly NodeVerdict[];
  readonly suggestions: readonly { readonly node: string; readonly changes: readonly string[] }[];
}

interface NodeVerdict {
  readonly node: string;
  readonly refusals: readonly { readonly plugin: string; readonly reasons: readonly string[] }[];
  readonly scores: Readonly<Record<string, number>>;
  readonly total: number;
}

const mostNodes = 200;

/** The scheduler's decision: nodes × plugins, their results, and suggested changes. */
export default function SchedulingTab({ pod }: { readonly pod: KubeObject }) {
  const w = useWords();
  const { client } = useCluster();
  const { namespace, name, resourceVersion = '' } = pod.metadata;
  const answer = useAsked(async (signal) => {
    const { status, body } = await client.raw(
      'GET',
      `/debug/coracle/why?pod=${encodeURIComponent(`${namespace}/${name}`)}`,
      { signal },
    );
    if (status !== 200) throw new Error((body as { message?: string }).message ?? `HTTP ${status}`);
    return body as Explanation;
  }, resourceVersion);
  if (answer.at === 'loading') return <p className="dim">{w.loading}</p>;
  if (answer.at === 'failed') return <ErrorNote message={answer.message} />;
  const { node, nodes, attempts, suggestions } = answer.value;
  return (
    <>
      <section className="panel">
        <h2>{node ? w.isOnNode(node) : w.isNotScheduled}</h2>
        {groupAttempts(attempts).map(({ at, outcome, text, count }) => (
          <p key={`${at}${outcome}${text}`}>
            <time className="dim" dateTime={at}>
              {new Date(at).toLocaleTimeString()}
            </time>{' '}
            <b>{outcome}</b> {count > 1 && <span className="dim">×{count}</span>} {text}
          </p>
        ))}
        {suggestions.length > 0 && (
          <>
            <h3>{w.wouldRunIf}</h3>
            <ul>
              {suggestions.map(({ node: where, changes }) => (
                <li key={changes.join()}>
                  {changes.join(', ')} → {where}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      <section className="panel" aria-labelledby="matrix">
        <h2 id="matrix">{w.nodesByPlugins}</h2>
        <Matrix nodes={nodes.slice(0, mostNodes)} chosen={node} />
      </section>
    </>
  );
}

function Matrix({ nodes, chosen }: { readonly nodes: readonly NodeVerdict[]; readonly chosen: string | undefined }) {
  const w = useWords();
  const plugins = [
    ...new Set(
      nodes.flatMap(({ refusals, scores }) => [...refusals.map(({ plugin }) => plugin), ...Object.keys(scores)]),
    ),
  ];
  return (
    <div className="scroll-x">
      <table className="matrix">
        <thead>
          <tr>
            <th>{w.node}</th>
            {plugins.map((plugin) => (
              <th key={plugin}>{plugin}</th>
            ))}
            <th>{w.total}</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map(({ node, refusals, scores, total }) => (
            <tr key={node} className={node === chosen ? 'chosen' : ''}>
              <td>
                <Link href={objectPath('nodes', undefined, node)}>{node}</Link> {node === chosen && '✓'}
              </td>
              {plugins.map((plugin) => (
                <PluginCell
                  key={plugin}
                  refusal={refusals.find((one) => one.plugin === plugin)}
                  score={scores[plugin]}
                />
              ))}
              <td className={refusals.length > 0 ? 'no' : 'yes'}>{refusals.length > 0 ? w.no : Math.round(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PluginCellProps {
  readonly refusal: NodeVerdict['refusals'][number] | undefined;
  readonly score: number | undefined;
}

function PluginCell({ refusal, score }: PluginCellProps) {
  if (refusal) return <td className="no">{refusal.reasons.join(', ')}</td>;
  return <td>{score === undefined ? '·' : Math.round(score)}</td>;
}
