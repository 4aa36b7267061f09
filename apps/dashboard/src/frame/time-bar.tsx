import { useEffect, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { advanceClock, type ClusterTime, type History, readClock, readHistory } from '../data/history.js';
import { durationText } from '../model/age.js';
import { Link } from '../parts/link.js';
import { navigate, useRoute, withQuery } from '../router.js';
import { useWords } from '../words/use-words.js';

const everyMs = 3_000;

/** A scrubber over the moments that the store still has. Every page shows the cluster as it was at the chosen one. */
export function TimeBar() {
  const w = useWords();
  const { client } = useCluster();
  const { query } = useRoute();
  const at = query.get('at');
  const { history, clock } = useTime();
  const moments = history?.moments ?? [];
  const last = moments.length - 1;
  const chosen = at === null ? last : moments.findLastIndex(({ revision }) => revision <= Number(at));
  const moment = moments[Math.max(0, chosen)];
  const choose = (index: number) =>
    navigate(withQuery({ at: index >= last ? '' : String(moments[index]?.revision ?? '') }), { replace: true });
  return (
    <div className={at === null ? 'scrubber' : 'scrubber is-past'}>
      <label className="grow">
        {w.time}
        <input
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={Math.max(0, chosen)}
          aria-valuetext={moment ? new Date(moment.at).toLocaleTimeString() : ''}
          onChange={(event) => choose(Number(event.target.value))}
        />
      </label>
      <span>
        {moment && new Date(moment.at).toLocaleTimeString()}{' '}
        <span className="dim">
          {w.revision} {at ?? moment?.revision}
          {history && moment && at !== null && ` · −${durationText(history.now - moment.at)}`}
        </span>
      </span>
      {at !== null && (
        <>
          <Link className="button" href={`/compare?a=${at}`}>
            {w.whatChanged}
          </Link>
          <button type="button" className="button primary" onClick={() => navigate(withQuery({ at: '' }))}>
            {w.backToNow}
          </button>
        </>
      )}
      {clock?.isVirtual && (
        <span className="bar">
          {['10s', '1m', '10m', '1h'].map((span) => (
            <button key={span} type="button" className="button" onClick={() => void advanceClock(client, span)}>
              +{span}
            </button>
          ))}
        </span>
      )}
    </div>
  );
}

function useTime() {
  const { client } = useCluster();
  const [time, setTime] = useState<{ readonly history?: History; readonly clock?: ClusterTime }>({});
  useEffect(() => {
    let stopped = false;
    const ask = async () => {
      if (document.hidden) return;
      const [history, clock] = await Promise.all([readHistory(client), readClock(client)]);
      if (!stopped) setTime({ history, clock });
    };
    const again = () => void ask().catch(() => {});
    again();
    const timer = setInterval(again, everyMs);
    return () => {
      stopped = true;
      clearInterval(timer);
    };
  }, [client]);
  return time;
}
