import { asStatusError, type KubeObject } from '@coracle/apimachinery';
import { type FormEvent, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useObject } from '../data/use-live.js';
import { may } from '../model/access-rules.js';
import { stages } from '../model/story.js';
import { ErrorNote } from '../parts/error-note.js';
import { Link, objectPath } from '../parts/link.js';
import { useNamespace } from '../parts/namespace-select.js';
import { StatusBadge } from '../parts/status-badge.js';
import { useWords } from '../words/use-words.js';
import StoryTab, { Stages } from './story-tab.js';

/** Creates a pod, and shows its steps. */
export default function HowPage() {
  const w = useWords();
  const { client, access } = useCluster();
  const namespace = useNamespace() ?? 'default';
  const [name, setName] = useState('');
  const [image, setImage] = useState('nginx');
  const [created, setCreated] = useState<string | undefined>();
  const [failure, setFailure] = useState<string | undefined>();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const podName = name || `watched-${Date.now().toString(36)}`;
    const pod = {
      metadata: { name: podName, labels: { app: 'watched' } },
      spec: { containers: [{ name: 'main', image }] },
    };
    try {
      await client.resource(refs.pods, namespace).create(pod);
      setFailure(undefined);
      setCreated(podName);
    } catch (error) {
      setFailure(asStatusError(error).message);
    }
  };
  return (
    <div className="page">
      <h1>{w.howItWorks}</h1>
      <section className="panel">
        <p>{w.howIntro}</p>
        <form className="bar" onSubmit={(event) => void create(event)}>
          <label>
            {w.name}
            <input type="text" value={name} placeholder="watched" onChange={(event) => setName(event.target.value)} />
          </label>
          <label>
            {w.image}
            <input type="text" value={image} required onChange={(event) => setImage(event.target.value)} />
          </label>
          <button type="submit" className="button primary" disabled={!may(access, 'create', refs.pods)}>
            {w.createAndWatch}
          </button>
          <span className="dim">
            {w.namespace} {namespace}
          </span>
        </form>
        {failure && <ErrorNote message={failure} />}
      </section>
      {created ? (
        <Watched key={created} namespace={namespace} name={created} />
      ) : (
        <section className="panel">
          <Stages stages={stages.map((stage) => ({ name: stage, afterMs: undefined, steps: [] }))} />
        </section>
      )}
    </div>
  );
}

function Watched({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const { object } = useObject<KubeObject>(refs.pods, namespace, name);
  return (
    <>
      <div className="page-head">
        <h2>
          <Link href={objectPath('pods', namespace, name)}>
            {namespace}/{name}
          </Link>
        </h2>
        {object && <StatusBadge object={object} kind="Pod" />}
      </div>
      <StoryTab namespace={namespace} name={name} version={object?.metadata.resourceVersion ?? ''} />
    </>
  );
}
