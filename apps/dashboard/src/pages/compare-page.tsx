import { formatYaml, type KubeObject, type ResourceInfo } from '@coracle/apimachinery';
import { useState } from 'react';
import { type Cluster, useCluster } from '../data/cluster.js';
import { useAsked } from '../data/use-live.js';
import { may } from '../model/access-rules.js';
import { idOf, refFor } from '../model/catalog.js';
import { type Change, changesBetween } from '../model/changes.js';
import { lineDiff } from '../model/line-diff.js';
import { mayShow } from '../model/navigation.js';
import { Dialog } from '../parts/dialog.js';
import { DiffView } from '../parts/diff-view.js';
import { ErrorNote } from '../parts/error-note.js';
import { useRoute } from '../router.js';
import { useWords } from '../words/use-words.js';

interface Found extends Change {
  readonly info: ResourceInfo;
}

/** The changes between two revisions of the store: `a`, and `b` or now. */
export default function ComparePage() {
  const w = useWords();
  const cluster = useCluster();
  const { query } = useRoute();
  const a = query.get('a') ?? '';
  const b = query.get('b') ?? '';
  const [open, setOpen] = useState<Found | undefined>();
  const found = useAsked((signal) => findChanges(cluster, { a, b, signal }), `${a}-${b}`);
  return (
    <div className="page">
      <h1>{w.changesSince(a, b)}</h1>
      {found.at === 'loading' && <p className="dim">{w.loading}</p>}
      {found.at === 'failed' && <ErrorNote message={found.message} advice={w.adviceFor(410)} />}
      {found.at === 'there' && (
        <section className="panel">
          {found.value.length === 0 && <p className="dim">{w.noChange}</p>}
          <table>
            <tbody>
              {found.value.map((change) => (
                <tr key={`${idOf(change.info)}${change.metadata.uid}`}>
                  <td>
                    <span className={`badge ${looks[change.what]}`}>{w.changeKinds[change.what]}</span>
                  </td>
                  <td>{change.info.kind}</td>
                  <td>
                    <button type="button" className="button plain" onClick={() => setOpen(change)}>
                      {[change.metadata.namespace, change.metadata.name].filter(Boolean).join('/')}
                    </button>
                  </td>
                  <td className="number dim">{change.metadata.resourceVersion}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {open && <ChangeDialog change={open} a={a} b={b} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

const looks = { created: 'running', changed: 'waiting', deleted: 'failing' } as const;
/** They change all the time, and are irrelevant. */
const noise = new Set([
  'leases.coordination.k8s.io',
  'events.events.k8s.io',
  'nodes.metrics.k8s.io',
  'pods.metrics.k8s.io',
]);

interface Span {
  readonly a: string;
  readonly b: string;
  readonly signal: AbortSignal;
}

async function findChanges(cluster: Cluster, { a, b, signal }: Span): Promise<Found[]> {
  const { catalog, access } = cluster;
  const kinds = catalog.kinds.filter(
    (info) => !noise.has(idOf(info)) && mayShow(info, access) && may(access, 'list', info),
  );
  const all = await Promise.all(
    kinds.map(async (info) => {
      const client = cluster.client.metadata(refFor(info), info.namespaced ? access.onlyNamespace : undefined);
      const [before, after] = await Promise.all([client.list(at(a, signal)), client.list(at(b, signal))]);
      return changesBetween(before.items, after.items).map((change) => ({ ...change, info }));
    }),
  );
  return all.flat().sort((x, y) => Number(y.metadata.resourceVersion) - Number(x.metadata.resourceVersion));
}

function at(revision: string, signal: AbortSignal) {
  return revision ? { resourceVersion: revision, resourceVersionMatch: 'Exact' as const, signal } : { signal };
}

interface ChangeDialogProps {
  readonly change: Found;
  readonly a: string;
  readonly b: string;
  readonly onClose: () => void;
}

function ChangeDialog({ change, a, b, onClose }: ChangeDialogProps) {
  const w = useWords();
  const cluster = useCluster();
  const { info, metadata } = change;
  const texts = useAsked(
    async (signal) =>
      [await textAt(cluster, change, at(a, signal)), await textAt(cluster, change, at(b, signal))] as const,
    `${metadata.uid}`,
  );
  return (
    <Dialog title={`${info.kind} ${metadata.name}`} onClose={onClose}>
      {texts.at === 'there' && <DiffView lines={lineDiff(texts.value[0], texts.value[1])} />}
      {texts.at === 'failed' && <ErrorNote message={texts.message} />}
      <div>
        <button type="button" className="button" onClick={onClose}>
          {w.close}
        </button>
      </div>
    </Dialog>
  );
}

async function textAt({ client }: Cluster, { info, metadata }: Found, when: ReturnType<typeof at>): Promise<string> {
  const list = await client
    .resource(refFor(info), metadata.namespace)
    .list({ ...when, fieldSelector: `metadata.name=${metadata.name}` });
  const [object] = list.items;
  return object ? formatYaml(withoutManagedFields(object)) : '';
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
