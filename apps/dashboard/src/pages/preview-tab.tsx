import type { KubeObject } from '@coracle/apimachinery';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { loadPreview, type Preview } from '../data/load-preview.js';
import { previewPortsOf } from '../model/preview.js';
import { CodeBox } from '../parts/code-box.js';
import { ErrorNote } from '../parts/error-note.js';
import { useWords } from '../words/use-words.js';

interface PreviewTabProps {
  readonly object: KubeObject;
  readonly resource: 'pods' | 'services';
}

/**
 * The response of a port, through the API's proxy: nothing is forwarded to this machine, and RBAC decides who has
 * access.
 */
export default function PreviewTab({ object, resource }: PreviewTabProps) {
  const w = useWords();
  const ports = previewPortsOf(object);
  const [port, setPort] = useState(ports[0]?.port);
  const [path, setPath] = useState('/');
  const { answer, load } = usePreview();
  const chosen = ports.find((one) => one.port === port) ?? ports[0];
  if (!chosen) return <div className="empty">{w.noPorts}</div>;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { namespace = '', name = '' } = object.metadata;
    load({ resource, namespace, name, port: chosen.port, isTls: chosen.isTls, path });
  };
  return (
    <>
      <form className="bar" onSubmit={submit}>
        <label>
          {w.port}{' '}
          <select value={chosen.port} onChange={(event) => setPort(Number(event.target.value))}>
            {ports.map((one) => (
              <option key={one.port} value={one.port}>
                {one.label}
              </option>
            ))}
          </select>
        </label>
        <input
          className="grow"
          aria-label={w.path}
          value={path}
          spellCheck={false}
          onChange={(event) => setPath(event.target.value)}
        />
        <button type="submit" className="button primary" disabled={answer.at === 'loading'}>
          {w.load}
        </button>
      </form>
      {answer.at === 'failed' && <ErrorNote message={answer.message} />}
      {answer.at === 'elsewhere' && <ErrorNote message={w.leadsElsewhere} />}
      {answer.at === 'there' && <Answer preview={answer.preview} />}
    </>
  );
}

function Answer({ preview }: { readonly preview: Preview }) {
  const w = useWords();
  const { status, contentType, form, content, isCut } = preview;
  return (
    <>
      <p className="dim" role="status">
        {status} {contentType} {isCut && `· ${w.cutOff}`} {form === 'page' && `· ${w.previewLimits}`}
      </p>
      {form === 'page' && <iframe className="preview" title={w.previewedPage} sandbox="" srcDoc={content} />}
      {form === 'picture' && <img className="preview" alt={w.previewedPage} src={content} />}
      {form === 'text' && <CodeBox label={w.previewedPage} text={content} />}
    </>
  );
}

type AnswerState =
  | { readonly at: 'idle' | 'loading' | 'elsewhere' }
  | { readonly at: 'failed'; readonly message: string }
  | { readonly at: 'there'; readonly preview: Preview };

/** One request at a time: another one, or leaving the page, ends the one before. */
function usePreview() {
  const [answer, setAnswer] = useState<AnswerState>({ at: 'idle' });
  const asking = useRef<AbortController>(undefined);
  useEffect(() => () => asking.current?.abort(), []);
  const load = (target: Parameters<typeof loadPreview>[0]) => {
    asking.current?.abort();
    const { signal } = (asking.current = new AbortController());
    setAnswer({ at: 'loading' });
    loadPreview(target, signal).then(
      (preview) => !signal.aborted && setAnswer(preview ? { at: 'there', preview } : { at: 'elsewhere' }),
      (error: unknown) => !signal.aborted && setAnswer({ at: 'failed', message: String(error) }),
    );
  };
  return { answer, load };
}
