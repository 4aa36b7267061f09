import { asStatusError } from '@coracle/apimachinery';
import { useState } from 'react';
import { type Applied, applyText } from '../data/apply-yaml.js';
import { useCluster } from '../data/cluster.js';
import { loadSchema } from '../data/field-help.js';
import { useAsked } from '../data/use-live.js';
import { idOf } from '../model/catalog.js';
import { documentAt, kindIn, starterFor } from '../model/yaml-documents.js';
import { yamlPathAt } from '../model/yaml-path.js';
import { ErrorNote } from '../parts/error-note.js';
import { FieldHelpPanel } from '../parts/field-help-panel.js';
import { Link, objectPath } from '../parts/link.js';
import { NamespaceSelect, useNamespace } from '../parts/namespace-select.js';
import { YamlEditor } from '../parts/yaml-editor.js';
import { useRoute } from '../router.js';
import { useWords } from '../words/use-words.js';

type Outcome = { readonly isDryRun: boolean; readonly applied: readonly Applied[] } | { readonly failure: string };

/** Objects from YAML: typed, or pasted from elsewhere; several are separated by `---`. */
export default function CreatePage() {
  const w = useWords();
  const cluster = useCluster();
  const namespace = useNamespace() ?? 'default';
  const starter = useStarter(namespace);
  const [text, setText] = useState(starter);
  const [line, setLine] = useState(0);
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const { schema, help } = useHelp(text, line);
  const send = (dryRun: boolean) =>
    applyText(cluster, text, { namespace, dryRun }).then(
      (applied) => setOutcome({ isDryRun: dryRun, applied }),
      (error: unknown) => setOutcome({ failure: asStatusError(error).message }),
    );
  return (
    <div className="page full">
      <div className="page-head">
        <h1>{w.create}</h1>
        <span className="grow" />
        <NamespaceSelect />
      </div>
      <div className="bar sticky">
        <button type="button" className="button" onClick={() => void send(true)}>
          {w.tryOut}
        </button>
        <button type="button" className="button primary" onClick={() => void send(false)}>
          {w.apply}
        </button>
        <span className="dim">{w.createHint}</span>
      </div>
      <div role="status">{outcome && <OutcomeList outcome={outcome} />}</div>
      <div className="editor">
        <YamlEditor text={text} onChange={setText} onLine={setLine} schemaAt={() => schema} />
        <FieldHelpPanel help={help} hasSchema={schema !== undefined} completes />
      </div>
    </div>
  );
}

const deployment = (namespace: string) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: ${namespace}
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: nginx
        ports:
        - containerPort: 80
`;

function useStarter(namespace: string): string {
  const { catalog } = useCluster();
  const info = catalog.find(useRoute().query.get('kind') ?? '');
  return info && info.kind !== 'Deployment' ? starterFor(info, namespace) : deployment(namespace);
}

/** The schema of the object at the caret, and its description of the field there. */
function useHelp(text: string, line: number) {
  const { client, catalog } = useCluster();
  const document = documentAt(text, line);
  const of = kindIn(document.text);
  const info = of && catalog.byKind(of.apiVersion, of.kind);
  const answer = useAsked(
    async (signal) => (info ? await loadSchema(client, info, signal) : undefined),
    info ? idOf(info) : '',
  );
  const schema = info && answer.at === 'there' ? answer.value : undefined;
  return { schema, help: schema?.at(yamlPathAt(document.text, line - document.line)) };
}

function OutcomeList({ outcome }: { readonly outcome: Outcome }) {
  const w = useWords();
  if ('failure' in outcome) return <ErrorNote message={outcome.failure} />;
  return (
    <ul className="panel feed">
      {outcome.applied.map(({ title, info, object, failure }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: objects of a text keep their order.
        <li key={index}>
          <span className={failure ? 'badge failing' : 'badge running'}>
            {object && info && !outcome.isDryRun ? (
              <Link href={objectPath(idOf(info), object.metadata.namespace, object.metadata.name ?? '')}>{title}</Link>
            ) : (
              title
            )}
          </span>
          <span className="dim">{failure ? '' : outcome.isDryRun ? w.wouldWork : w.applied}</span>
          {failure && <p>{failure}</p>}
        </li>
      ))}
    </ul>
  );
}
