import type { KubeObject } from '@coracle/apimachinery';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { quotaLines } from '../model/quota.js';
import { ErrorNote } from '../parts/error-note.js';
import { Link, objectPath } from '../parts/link.js';
import { NamespaceSelect, useNamespace } from '../parts/namespace-select.js';
import { useWords } from '../words/use-words.js';

/** Quotas of namespaces and their usage. */
export default function QuotaPage() {
  const w = useWords();
  const namespace = useNamespace();
  const { items, state } = useLive({ ref: refs.quotas, namespace });
  return (
    <div className="page">
      <div className="page-head">
        <h1>{w.quota}</h1>
        <span className="grow" />
        <NamespaceSelect />
      </div>
      {state.at === 'failed' && <ErrorNote message={state.message ?? ''} advice={w.adviceFor(state.code)} />}
      {items.length === 0 && state.at === 'live' && (
        <div className="empty">
          <b>{w.noQuotas}</b>
          <code>kubectl create quota team --hard=pods=20,requests.cpu=4</code>
        </div>
      )}
      <div className="grid">
        {items.map((quota) => (
          <Quota key={quota.metadata.uid} quota={quota} />
        ))}
      </div>
    </div>
  );
}

function Quota({ quota }: { readonly quota: KubeObject }) {
  const { name = '', namespace } = quota.metadata;
  return (
    <section className="panel">
      <h2>
        <Link href={objectPath('resourcequotas', namespace, name)}>
          {namespace}/{name}
        </Link>
      </h2>
      {quotaLines(quota).map(({ resource, used, hard, share }) => (
        <div key={resource} style={{ marginBottom: 8 }}>
          <span className="mono">{resource}</span>{' '}
          <span className={share >= 1 ? 'badge failing' : 'dim'}>
            {used} / {hard}
          </span>
          <div className="meter">
            <i className={share >= 1 ? 'is-failing' : ''} style={{ width: `${Math.min(100, share * 100)}%` }} />
          </div>
        </div>
      ))}
    </section>
  );
}
