import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { lazy, Suspense } from 'react';
import { useCluster } from '../data/cluster.js';
import { ageOf } from '../model/age.js';
import { idOf } from '../model/catalog.js';
import { type AnyKube, type AnySpec, listAt, statusNotesOf } from '../model/status-in-words.js';
import { DataPanel } from '../parts/data-panel.js';
import { EventFeed } from '../parts/event-feed.js';
import { Link, objectPath } from '../parts/link.js';
import { MetricCharts } from '../parts/metric-charts.js';
import { Particulars } from '../parts/particulars.js';
import { PodTable } from '../parts/pod-table.js';
import { useNow } from '../parts/use-now.js';
import { useWords } from '../words/use-words.js';

const OwnerGraph = lazy(() => import('../parts/owner-graph.js'));

interface SummaryTabProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
}

/** The state of an object: a summary first, then the details. */
export function SummaryTab({ info, object }: SummaryTabProps) {
  const w = useWords();
  const kube = object as AnyKube;
  return (
    <div className="grid wide">
      <div className="stack">
        <section className="panel" aria-labelledby="status">
          <h2 id="status">{w.status}</h2>
          {statusNotesOf(kube, info.kind).map((note) => (
            <p
              key={JSON.stringify(note)}
              className={`badge ${note.look}`}
              style={{ whiteSpace: 'normal', margin: '0 0 6px', display: 'flex' }}
            >
              {w.statusNote(note)}
            </p>
          ))}
          <Conditions object={kube} />
        </section>
        <Particulars info={info} object={object} />
      </div>
      <Facts object={kube} />
      <Containers object={kube} isPod={info.kind === 'Pod'} />
      <DataPanel info={info} object={object} />
      <MetricCharts info={info} object={object} />
      <PodTable info={info} object={object} />
      <section className="panel whole" aria-labelledby="graph">
        <h2 id="graph">{w.ownersAndChildren}</h2>
        <Suspense fallback={<p className="dim">{w.loading}</p>}>
          <OwnerGraph info={info} object={object} />
        </Suspense>
      </section>
      <section className="panel whole" aria-labelledby="events">
        <h2 id="events">{w.tabs.events}</h2>
        <EventFeed about={object} empty={w.noEvents} />
      </section>
    </div>
  );
}

function Conditions({ object }: { readonly object: AnyKube }) {
  const w = useWords();
  const now = useNow(10_000);
  const conditions = object.status?.conditions ?? [];
  if (conditions.length === 0) return null;
  return (
    <>
      <h3>{w.conditions}</h3>
      <div className="scroll-x">
        <table>
          <thead>
            <tr>
              <th>{w.type}</th>
              <th>{w.value}</th>
              <th>{w.since}</th>
              <th>{w.reason}</th>
            </tr>
          </thead>
          <tbody>
            {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
              <tr key={type}>
                <td>{type}</td>
                <td>{status}</td>
                <td>{ageOf(lastTransitionTime, now)}</td>
                <td title={message}>{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Facts({ object }: { readonly object: AnyKube }) {
  const w = useWords();
  const { catalog } = useCluster();
  const now = useNow(10_000);
  const { creationTimestamp, labels, annotations, ownerReferences, uid, resourceVersion, namespace } = object.metadata;
  const node = object.spec?.['nodeName'];
  return (
    <section className="panel" aria-labelledby="facts">
      <h2 id="facts">{w.facts}</h2>
      <dl className="facts">
        <dt>{w.age}</dt>
        <dd title={creationTimestamp}>{ageOf(creationTimestamp, now)}</dd>
        {typeof node === 'string' && (
          <>
            <dt>{w.node}</dt>
            <dd>
              <Link href={objectPath('nodes', undefined, node)}>{node}</Link>
            </dd>
          </>
        )}
        {typeof object.status?.['podIP'] === 'string' && (
          <>
            <dt>IP</dt>
            <dd className="mono">{object.status['podIP']}</dd>
          </>
        )}
        {ownerReferences && (
          <>
            <dt>{w.owner}</dt>
            <dd>
              {ownerReferences.map(({ apiVersion, kind, name, uid: owner }) => {
                const info = catalog.byKind(apiVersion, kind);
                return info ? (
                  <Link key={owner} href={objectPath(idOf(info), info.namespaced ? namespace : undefined, name)}>
                    {kind}/{name}
                  </Link>
                ) : (
                  `${kind}/${name}`
                );
              })}
            </dd>
          </>
        )}
        <Pairs title={w.labels} pairs={labels} />
        <Pairs title={w.annotations} pairs={annotations} />
        <dt>UID</dt>
        <dd className="mono">{uid}</dd>
        <dt>{w.version}</dt>
        <dd className="mono">{resourceVersion}</dd>
      </dl>
    </section>
  );
}

function Pairs({
  title,
  pairs,
}: {
  readonly title: string;
  readonly pairs: Readonly<Record<string, string>> | undefined;
}) {
  const all = Object.entries(pairs ?? {}).filter(
    ([name]) => name !== 'kubectl.kubernetes.io/last-applied-configuration',
  );
  if (all.length === 0) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd className="chips">
        {all.map(([name, value]) => (
          <span key={name} className="chip">
            {name}={value.length > 120 ? `${value.slice(0, 120)}…` : value}
          </span>
        ))}
      </dd>
    </>
  );
}

/** Containers of a pod, or those of the pods that a template makes, which have no state of their own. */
function Containers({ object, isPod }: { readonly object: AnyKube; readonly isPod: boolean }) {
  const w = useWords();
  const template = (object.spec?.['template'] as { spec?: AnySpec } | undefined)?.spec ?? object.spec;
  const all = [...arrayAt(template, 'initContainers'), ...arrayAt(template, 'containers')];
  const containers = all as {
    name: string;
    image?: string;
    ports?: { containerPort: number }[];
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  }[];
  if (containers.length === 0) return null;
  const reported = [...listAt(object.status, 'initContainerStatuses'), ...listAt(object.status, 'containerStatuses')];
  const statuses = new Map(reported.map((one) => [one.name, one]));
  return (
    <section className="panel whole" aria-labelledby="containers">
      <h2 id="containers">{w.containers}</h2>
      <div className="scroll-x">
        <table>
          <thead>
            <tr>
              <th>{w.name}</th>
              <th>{w.image}</th>
              {isPod && <th>{w.state}</th>}
              {isPod && <th className="number">{w.restarts}</th>}
              <th>{w.ports}</th>
              <th>{w.requests}</th>
              <th>{w.limits}</th>
            </tr>
          </thead>
          <tbody>
            {containers.map(({ name, image, ports, resources }) => {
              const status = statuses.get(name);
              const state = status?.state;
              const word = state?.running ? 'Running' : (state?.waiting?.reason ?? state?.terminated?.reason ?? '–');
              return (
                <tr key={name}>
                  <td>{name}</td>
                  <td className="mono">{image}</td>
                  {isPod && <td>{word}</td>}
                  {isPod && <td className="number">{status?.restartCount ?? '–'}</td>}
                  <td>{(ports ?? []).map(({ containerPort }) => containerPort).join(', ')}</td>
                  <td>{amounts(resources?.requests)}</td>
                  <td>{amounts(resources?.limits)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function arrayAt(spec: AnySpec | undefined, field: string): readonly unknown[] {
  const value = spec?.[field];
  return Array.isArray(value) ? value : [];
}

function amounts(of: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(of ?? {})
    .map(([name, amount]) => `${name} ${amount}`)
    .join(', ');
}
