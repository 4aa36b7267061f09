import {
  asStatusError,
  formatYaml,
  type KubeObject,
  parseYaml,
  type ResourceInfo,
  reasonOf,
} from '@coracle/apimachinery';
import { useState } from 'react';
import { type Cluster, useCluster } from '../data/cluster.js';
import { loadSchema } from '../data/field-help.js';
import { useAsked } from '../data/use-live.js';
import { idOf, refFor } from '../model/catalog.js';
import { lineDiff } from '../model/line-diff.js';
import { mergePatchOf } from '../model/merge-patch.js';
import { yamlPathAt } from '../model/yaml-path.js';
import { CodeBox } from '../parts/code-box.js';
import { DiffView } from '../parts/diff-view.js';
import { ErrorNote } from '../parts/error-note.js';
import { FieldHelpPanel } from '../parts/field-help-panel.js';
import { YamlEditor } from '../parts/yaml-editor.js';
import { useWords } from '../words/use-words.js';

interface YamlTabProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
  readonly edits: boolean;
}

/** An object as YAML, with the server's help for the field that the caret is in; to read, or to edit. */
export default function YamlTab({ info, object, edits }: YamlTabProps) {
  const w = useWords();
  const { client } = useCluster();
  const [managed, setManaged] = useState(false);
  const [line, setLine] = useState(0);
  const [base, setBase] = useState(object);
  const shown = edits ? base : object;
  const read = formatYaml(managed ? shown : withoutManagedFields(shown));
  const [text, setText] = useState(read);
  const schema = useAsked((signal) => loadSchema(client, info, signal), idOf(info));
  const current = edits ? text : read;
  const kindSchema = schema.at === 'there' ? schema.value : undefined;
  const help = kindSchema?.at(yamlPathAt(current, line));
  return (
    <>
      {!edits && (
        <div className="bar">
          <label>
            <input type="checkbox" checked={managed} onChange={(event) => setManaged(event.target.checked)} />
            managedFields
          </label>
          <button type="button" className="button" onClick={() => void navigator.clipboard.writeText(read)}>
            {w.copy}
          </button>
        </div>
      )}
      {edits && (
        <EditBar
          info={info}
          base={base}
          latest={object}
          text={text}
          onRebase={(next, nextText) => {
            setBase(next);
            setText(nextText);
          }}
        />
      )}
      <div className="editor">
        {edits ? (
          <YamlEditor text={text} onChange={setText} onLine={setLine} schemaAt={() => kindSchema} />
        ) : (
          <CodeBox label="YAML" text={read} onLine={setLine} />
        )}
        <FieldHelpPanel help={help} hasSchema={kindSchema !== undefined} completes={edits} />
      </div>
    </>
  );
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface EditBarProps {
  readonly info: ResourceInfo;
  /** What the edit began with. */
  readonly base: KubeObject;
  readonly latest: KubeObject;
  readonly text: string;
  readonly onRebase: (base: KubeObject, text: string) => void;
}

type Outcome =
  | { readonly at: 'nothing' }
  | { readonly at: 'previewed'; readonly before: string; readonly after: string }
  | { readonly at: 'conflict'; readonly theirs: KubeObject }
  | { readonly at: 'saved' }
  | { readonly at: 'failed'; readonly message: string };

/** Preview, save, and what to do after a conflict. */
function EditBar({ info, base, latest, text, onRebase }: EditBarProps) {
  const w = useWords();
  const cluster = useCluster();
  const [outcome, setOutcome] = useState<Outcome>({ at: 'nothing' });
  const plain = formatYaml(withoutManagedFields(base));
  const isStale = latest.metadata.resourceVersion !== base.metadata.resourceVersion;
  const send = async (dryRun: boolean) => {
    try {
      const written = await put(cluster, info, { text, base, dryRun });
      const after = formatYaml(withoutManagedFields(written));
      if (dryRun) setOutcome({ at: 'previewed', before: plain, after });
      else {
        onRebase(written, after);
        setOutcome({ at: 'saved' });
      }
    } catch (error) {
      if (reasonOf(error) === 'Conflict') setOutcome({ at: 'conflict', theirs: await read(cluster, info, base) });
      else setOutcome({ at: 'failed', message: asStatusError(error).message });
    }
  };
  const takeOver = (theirs: KubeObject) => {
    const mine = mergePatchOf(withoutManagedFields(base), withVersionOf(parseYaml(text), base));
    onRebase(theirs, formatYaml(mergedWith(withoutManagedFields(theirs), mine)));
    setOutcome({ at: 'nothing' });
  };
  return (
    <>
      <div className="bar sticky">
        <button type="button" className="button" disabled={text === plain} onClick={() => void send(true)}>
          {w.preview}
        </button>
        <button type="button" className="button primary" disabled={text === plain} onClick={() => void send(false)}>
          {w.save}
        </button>
        <button
          type="button"
          className="button"
          disabled={text === plain && !isStale}
          onClick={() => onRebase(latest, formatYaml(withoutManagedFields(latest)))}
        >
          {w.startOver}
        </button>
        {isStale && outcome.at !== 'conflict' && <span className="badge waiting">{w.changedMeanwhile}</span>}
        {outcome.at === 'saved' && <span role="status">{w.saved}</span>}
      </div>
      {outcome.at === 'failed' && <ErrorNote message={outcome.message} />}
      {outcome.at === 'previewed' && (
        <section className="panel" aria-label={w.preview}>
          <h2>{w.previewTitle}</h2>
          <DiffView lines={lineDiff(outcome.before, outcome.after)} />
        </section>
      )}
      {outcome.at === 'conflict' && (
        <section className="panel note bad" role="alert">
          <h2>{w.conflictTitle}</h2>
          <DiffView lines={lineDiff(plain, formatYaml(withoutManagedFields(outcome.theirs)))} />
          <div className="bar" style={{ marginTop: 10 }}>
            <button type="button" className="button primary" onClick={() => takeOver(outcome.theirs)}>
              {w.keepMine}
            </button>
            <button
              type="button"
              className="button"
              onClick={() => onRebase(outcome.theirs, formatYaml(withoutManagedFields(outcome.theirs)))}
            >
              {w.takeTheirs}
            </button>
          </div>
        </section>
      )}
    </>
  );
}

interface Put {
  readonly text: string;
  readonly base: KubeObject;
  readonly dryRun: boolean;
}

/** The resourceVersion at the start of the edit is sent, so that the server detects a conflict. */
async function put({ client }: Cluster, info: ResourceInfo, { text, base, dryRun }: Put): Promise<KubeObject> {
  const object = withVersionOf(parseYaml(text), base);
  return client.resource(refFor(info), base.metadata.namespace).update(object, { dryRun, fieldValidation: 'Strict' });
}

function withVersionOf(value: unknown, { metadata }: KubeObject): KubeObject {
  if (typeof value !== 'object' || value === null || !('metadata' in value))
    throw new Error('the text is no object with metadata');
  const object = value as KubeObject;
  const { resourceVersion = '' } = metadata;
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function read({ client }: Cluster, info: ResourceInfo, { metadata }: KubeObject): Promise<KubeObject> {
  return client.resource(refFor(info), metadata.namespace).get(metadata.name ?? '');
}

/** A merge patch applied: null removes, objects are merged, all else replaces. */
function mergedWith(target: unknown, patch: unknown): unknown {
  if (patch === undefined) return target;
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const before = typeof target === 'object' && target !== null ? (target as Record<string, unknown>) : {};
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergedWith(before[name], value);
  }
  return merged;
}
