import type { KubeObject } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import { useEffect, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { readHistory } from '../data/history.js';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { durationText } from '../model/age.js';
import { type RolloutFrame, type SetSize, setsOf, shownSets, withFrame } from '../model/rollout.js';
import { useWords } from '../words/use-words.js';

/** A rollout as replica sets over time: live, and again from the history that the store keeps. */
export default function RolloutTab({ deployment }: { readonly deployment: KubeObject }) {
  const w = useWords();
  const { isCoracle, client } = useCluster();
  const { items } = useLive({ ref: refs.replicaSets, namespace: deployment.metadata.namespace });
  const [frames, setFrames] = useState<readonly RolloutFrame[]>([]);
  const [shown, setShown] = useState<number | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame for each change of the replica sets.
  useEffect(() => {
    if (items.length > 0) setFrames((before) => withFrame(before, { at: Date.now(), sets: setsOf(deployment, items) }));
  }, [items]);
  const replay = async () => {
    setFrames(await pastFrames(client, deployment));
    setShown(0);
  };
  usePlaying(shown, frames.length, setShown);
  const frame = frames[Math.min(shown ?? frames.length - 1, frames.length - 1)];
  return (
    <section className="panel" aria-labelledby="rollout">
      <div className="page-head">
        <h2 id="rollout">{w.rolloutTitle}</h2>
        <span className="grow" />
        {isCoracle && (
          <button type="button" className="button" onClick={() => void replay()}>
            {w.replay}
          </button>
        )}
        {shown !== undefined && (
          <button type="button" className="button" onClick={() => setShown(undefined)}>
            {w.now}
          </button>
        )}
      </div>
      {frame && <Bars frame={frame} names={shownSets(frames)} />}
      <label className="bar">
        {w.moment}
        <input
          type="range"
          min={0}
          max={Math.max(0, frames.length - 1)}
          value={shown ?? frames.length - 1}
          onChange={(event) => setShown(Number(event.target.value))}
        />
        <span className="dim">{frame && frames[0] && `+${durationText(frame.at - frames[0].at)}`}</span>
      </label>
    </section>
  );
}

const framePauseMs = 500;

/** Plays from a chosen moment to the last. */
function usePlaying(shown: number | undefined, count: number, show: (frame: number | undefined) => void): void {
  useEffect(() => {
    if (shown === undefined || shown >= count - 1) return;
    const timer = setTimeout(() => show(shown + 1), framePauseMs);
    return () => clearTimeout(timer);
  }, [shown, count, show]);
}

/** Every change of the replica sets since the oldest moment, from watches. */
async function pastFrames(client: Client, deployment: KubeObject): Promise<readonly RolloutFrame[]> {
  const { moments } = await readHistory(client);
  const [first] = moments;
  const last = moments.at(-1);
  if (!first || !last) return [];
  const sets = client.resource(refs.replicaSets, deployment.metadata.namespace);
  const resourceVersion = String(first.revision);
  const { items } = await sets.list({ resourceVersion, resourceVersionMatch: 'Exact' });
  const objectsByUid = new Map(items.map((one) => [one.metadata.uid, one]));
  const frame = (at: number) => ({ at, sets: setsOf(deployment, [...objectsByUid.values()]) });
  let frames = withFrame([], frame(first.at));
  for await (const event of sets.watch({ resourceVersion, timeoutSeconds: 1 })) {
    if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
    if (event.type === 'DELETED') objectsByUid.delete(event.object.metadata.uid);
    else objectsByUid.set(event.object.metadata.uid, event.object);
    const revision = Number(event.object.metadata.resourceVersion);
    frames = withFrame(frames, frame((moments.find((moment) => moment.revision >= revision) ?? last).at));
  }
  return frames;
}

function Bars({ frame, names }: { readonly frame: RolloutFrame; readonly names: readonly string[] }) {
  const w = useWords();
  const sets = names.map((name) => frame.sets.find((set) => set.name === name)).filter((set): set is SetSize => !!set);
  const most = Math.max(1, ...frame.sets.map(({ desired, ready }) => Math.max(desired, ready)));
  return (
    <div className="rollout">
      {sets.map(({ name, revision, image, desired, ready }) => (
        <div key={name} className="rollout-set">
          <div className="rollout-bars">
            <div className="replica wanted" style={{ height: `${(100 * desired) / most}%` }} />
            <div className="replica is-running" style={{ height: `${(100 * ready) / most}%` }} />
          </div>
          <b>
            {ready}/{desired}
          </b>
          <div>
            {w.revision} {revision}
          </div>
          <div className="dim mono">{image}</div>
        </div>
      ))}
    </div>
  );
}
