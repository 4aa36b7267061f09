import { useEffect, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import type { TableState } from '../data/messages.js';
import { refs } from '../data/refs.js';
import { may } from '../model/access-rules.js';
import type { PodSummary } from '../model/pod-map.js';
import { ErrorNote } from '../parts/error-note.js';
import { EventFeed } from '../parts/event-feed.js';
import { kindPath, Link } from '../parts/link.js';
import { NamespaceSelect, useNamespace } from '../parts/namespace-select.js';
import { PodMap } from '../parts/pod-map.js';
import { useRoute } from '../router.js';
import { useWords } from '../words/use-words.js';

/** The pods of each node, problems, and recent events. */
export function OverviewPage() {
  const w = useWords();
  const { summary, state } = usePodSummary();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{w.overview}</h1>
        <span className="grow" />
        <NamespaceSelect />
      </div>
      {state.at === 'failed' && <ErrorNote message={state.message ?? ''} advice={w.adviceFor(state.code)} />}
      {summary && <Tiles summary={summary} />}
      {summary && <PodMap summary={summary} />}
      <div className="grid wide">
        <section className="panel" aria-labelledby="warnings">
          <h2 id="warnings">{w.warnings}</h2>
          <EventFeed type="Warning" empty={w.noWarnings} />
        </section>
        <section className="panel" aria-labelledby="lately">
          <h2 id="lately">{w.lately}</h2>
          <EventFeed empty={w.nothingLately} />
        </section>
      </div>
    </div>
  );
}

function usePodSummary(): { readonly summary: PodSummary | undefined; readonly state: TableState } {
  const { tables, access } = useCluster();
  const namespace = useNamespace();
  const at = useRoute().query.get('at') ?? undefined;
  const allowed = may(access, 'list', refs.pods);
  const [seen, setSeen] = useState<{ summary: PodSummary | undefined; state: TableState }>({
    summary: undefined,
    state: { at: 'loading' },
  });
  useEffect(() => {
    if (!allowed) return;
    const opened = tables.summarise({ ref: refs.pods, namespace, at }, (summary, state) => setSeen({ summary, state }));
    return () => opened[Symbol.dispose]();
  }, [tables, namespace, at, allowed]);
  return seen;
}

function Tiles({ summary }: { readonly summary: PodSummary }) {
  const w = useWords();
  const namespace = useNamespace();
  const { counts, total, nodes } = summary;
  const pods = (q: string | undefined) => kindPath('pods', { ns: namespace, q });
  return (
    <div className="tiles">
      <Tile href={pods(undefined)} count={total} label={w.pods} />
      <Tile href={pods('state:running')} count={counts.running} label={w.podState.running} />
      <Tile href={pods('state:waiting')} count={counts.waiting} label={w.podState.waiting} />
      <Tile href={pods('state:failing')} count={counts.failing} label={w.podState.failing} />
      <Tile href={kindPath('nodes')} count={nodes.filter(({ node }) => node !== '').length} label={w.nodesWithPods} />
    </div>
  );
}

function Tile({ href, count, label }: { readonly href: string; readonly count: number; readonly label: string }) {
  return (
    <Link href={href} className="tile">
      <b>{count.toLocaleString()}</b>
      <span>{label}</span>
    </Link>
  );
}
