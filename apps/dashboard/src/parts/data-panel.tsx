import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { useState } from 'react';
import { type DataEntry, dataOf } from '../model/object-data.js';
import { useWords } from '../words/use-words.js';

interface DataPanelProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
}

/** The content of a config map or a secret. Values of secrets are shown one by one, on request. */
export function DataPanel({ info, object }: DataPanelProps) {
  const w = useWords();
  if (info.group !== '' || (info.kind !== 'Secret' && info.kind !== 'ConfigMap')) return null;
  const entries = dataOf(object);
  return (
    <section className="panel whole" aria-labelledby="data">
      <h2 id="data">{w.data}</h2>
      {entries.length === 0 && <p className="dim">{w.noData}</p>}
      {entries.map((entry) => (
        <Entry key={entry.name} entry={entry} isSecret={info.kind === 'Secret'} />
      ))}
    </section>
  );
}

function Entry({ entry, isSecret }: { readonly entry: DataEntry; readonly isSecret: boolean }) {
  const w = useWords();
  const [shown, setShown] = useState(!isSecret);
  return (
    <div className="entry">
      <div className="bar">
        <b className="mono">{entry.name}</b>
        <span className="dim">{w.byteCount(entry.bytes)}</span>
        {isSecret && (
          <button type="button" className="button" aria-pressed={shown} onClick={() => setShown(!shown)}>
            {shown ? w.hide : w.show}
            <span className="hidden-visually">{entry.name}</span>
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys. */}
      {shown && <pre tabIndex={0}>{entry.text ?? w.binary}</pre>}
    </div>
  );
}
