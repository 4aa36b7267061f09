import type { KubeObject } from '@coracle/apimachinery';
import { useEffect, useMemo, useRef, useState } from 'react';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { type LogLine, partsAround } from '../model/log-buffer.js';
import { type LogSource, podSelectorOf, sourcesOf } from '../model/pod-containers.js';
import { ErrorNote } from '../parts/error-note.js';
import { useLogs } from '../parts/use-logs.js';
import { useWords } from '../words/use-words.js';

const lineHeight = 19;
/** More streams at once cannot be read. */
const mostSources = 24;

/** The logs of a pod, or of all pods of a workload, together. */
export default function LogsTab({ object, isPod }: { readonly object: KubeObject; readonly isPod: boolean }) {
  const w = useWords();
  const { namespace } = object.metadata;
  const { items } = useLive(isPod ? undefined : { ref: refs.pods, namespace, labelSelector: podSelectorOf(object) });
  const pods = isPod ? [object] : items;
  // Pods change often; which containers they have does not.
  const text = JSON.stringify(sourcesOf(pods).slice(0, mostSources));
  const all = useMemo(() => JSON.parse(text) as LogSource[], [text]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [options, setOptions] = useState({ follow: true, previous: false, times: false, search: '' });
  const sources = useMemo(() => all.filter((source) => !hidden.has(nameOf(source))), [all, hidden]);
  const { buffer, version, failures } = useLogs(sources, options);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` says that the buffer has changed.
  const lines = useMemo(() => buffer.matching(options.search), [buffer, version, options.search]);
  const set = (change: Partial<typeof options>) => setOptions({ ...options, ...change });
  const toggle = (name: string) => setHidden(toggled(hidden, name));
  return (
    <>
      <div className="bar">
        <input
          type="search"
          aria-label={w.searchLogs}
          placeholder={w.searchLogs}
          value={options.search}
          onChange={(event) => set({ search: event.target.value })}
        />
        <Check label={w.follow} checked={options.follow} onChange={(follow) => set({ follow })} />
        <Check label={w.times} checked={options.times} onChange={(times) => set({ times })} />
        <Check label={w.previousContainer} checked={options.previous} onChange={(previous) => set({ previous })} />
        <span className="dim" role="status">
          {w.lineCount(lines.length)}
        </span>
        <span className="grow" />
        <button type="button" className="button" onClick={() => download(object.metadata.name ?? '', lines)}>
          {w.download}
        </button>
      </div>
      {all.length > 1 && (
        <div className="bar sources">
          {all.map((source) => (
            <button
              key={nameOf(source)}
              type="button"
              className="button"
              aria-pressed={!hidden.has(nameOf(source))}
              onClick={() => toggle(nameOf(source))}
            >
              <span className={`log-name source-${all.indexOf(source) % 6}`}>{nameOf(source)}</span>
            </button>
          ))}
        </div>
      )}
      {failures.map((failure) => (
        <ErrorNote key={failure} message={failure} />
      ))}
      <LogLines lines={lines} options={options} names={all.length > 1 ? all.map(nameOf) : []} />
    </>
  );
}

function nameOf({ pod, container }: LogSource): string {
  return `${pod}/${container}`;
}

function toggled(set: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return set.has(name) ? new Set([...set].filter((one) => one !== name)) : new Set([...set, name]);
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

interface LogLinesProps {
  readonly lines: readonly LogLine[];
  readonly options: { readonly follow: boolean; readonly times: boolean; readonly search: string };
  /** Shown before each line, where there are several. */
  readonly names: readonly string[];
}

/** Only the lines in view are in the page. It stays at the end until the user scrolls up. */
function LogLines({ lines, options, names }: LogLinesProps) {
  const w = useWords();
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [view, setView] = useState({ top: 0, height: 600 });
  const measure = () => {
    const element = box.current;
    if (!element) return;
    atEnd.current = element.scrollTop + element.clientHeight > element.scrollHeight - 2 * lineHeight;
    setView({ top: element.scrollTop, height: element.clientHeight });
  };
  useEffect(() => {
    if (box.current && atEnd.current && options.follow && lines.length > 0)
      box.current.scrollTop = box.current.scrollHeight;
  }, [lines, options.follow]);
  const first = Math.max(0, Math.floor(view.top / lineHeight) - 20);
  const last = Math.ceil((view.top + view.height) / lineHeight) + 20;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <div className="log" ref={box} onScroll={measure} role="log" aria-label={w.logs} aria-live="off" tabIndex={0}>
      <div style={{ height: lines.length * lineHeight, position: 'relative' }}>
        {lines.slice(first, last).map((line, index) => (
          <div key={line.number} className="log-line" style={{ top: (first + index) * lineHeight }}>
            {names.length > 0 && (
              <span className={`log-name source-${names.indexOf(line.source) % 6}`}>{line.source} </span>
            )}
            {options.times && <span className="dim">{line.time} </span>}
            {partsAround(line.text, options.search).map(({ text, isMatch }, at) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line have no names.
              isMatch ? <mark key={at}>{text}</mark> : text,
            )}
          </div>
        ))}
      </div>
      {lines.length === 0 && <div className="empty">{options.search ? w.noLineMatches : w.noLines}</div>}
    </div>
  );
}

function download(name: string, lines: readonly LogLine[]): void {
  const text = lines.map(({ time, source, text }) => `${time} ${source} ${text}\n`).join('');
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.log`;
  link.click();
  URL.revokeObjectURL(url);
}
