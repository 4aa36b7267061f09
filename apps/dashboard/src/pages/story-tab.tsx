import { useEffect, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { stepFiles } from '../model/step-files.js';
import { type Stage, storyOf, type Trace } from '../model/story.js';
import { ErrorNote } from '../parts/error-note.js';
import { useWords } from '../words/use-words.js';

/** How a pod was created, from the server's own trace; live while the pod starts. */
export default function StoryTab({ namespace, name, version }: StoryProps) {
  const w = useWords();
  const { stages, failure } = useStory({ namespace, name, version });
  if (failure) return <ErrorNote message={failure} />;
  if (!stages) return <p className="dim">{w.loading}</p>;
  if (stages.every(({ steps }) => steps.length === 0)) return <p className="dim">{w.noTrace}</p>;
  return (
    <section className="panel">
      <p className="dim">{w.storyIntro}</p>
      <Stages stages={stages} />
    </section>
  );
}

interface StoryProps {
  readonly namespace: string;
  readonly name: string;
  /** Of the pod: each change may have added steps. */
  readonly version: string;
}

function useStory({ namespace, name, version }: StoryProps) {
  const { client } = useCluster();
  const [story, setStory] = useState<{ readonly stages?: readonly Stage[]; readonly failure?: string }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version of the pod may have added steps.
  useEffect(() => {
    const stop = new AbortController();
    const ask = async () => {
      const subject = encodeURIComponent(`pods/${namespace}/${name}`);
      const { status, body } = await client.raw('GET', `/debug/coracle/trace?subject=${subject}`, {
        signal: stop.signal,
      });
      if (stop.signal.aborted) return;
      setStory(
        status === 200
          ? { stages: storyOf(body as Trace, stepFiles) }
          : { failure: (body as { message?: string }).message ?? '' },
      );
    };
    void ask().catch(() => {});
    // The last steps come a moment after the change that they made.
    const later = setTimeout(() => void ask().catch(() => {}), 700);
    return () => {
      stop.abort();
      clearTimeout(later);
    };
  }, [client, namespace, name, version]);
  return story;
}

export function Stages({ stages }: { readonly stages: readonly Stage[] }) {
  const w = useWords();
  const shown = stages.filter(({ name, steps }) => name !== 'controller' || steps.length > 0);
  return (
    <ol className="steps">
      {shown.map(({ name, afterMs, steps }, index) => (
        <li key={name} className={afterMs === undefined ? '' : 'is-there'}>
          <span className="when">{afterMs === undefined ? '…' : `${afterMs} ms`}</span>
          <span className="dot">{index + 1}</span>
          <div>
            <h2>{w.stages[name].title}</h2>
            <div className="dim">{w.stages[name].text}</div>
            <ul>
              {steps.map(({ name: step, object, afterMs: at, file, component, details }) => (
                <li key={`${step}${object}${at}${details}`}>
                  <span className="number">+{at} ms</span>
                  <b>{component}</b>
                  <span className="mono">{step.split('.')[1]}</span>
                  <span>{object.split('/').slice(0, 1).concat(object.split('/').slice(2)).join('/')}</span>
                  {details && <span className="mono">{details}</span>}
                  <code>{file}</code>
                </li>
              ))}
            </ul>
          </div>
        </li>
      ))}
    </ol>
  );
}
