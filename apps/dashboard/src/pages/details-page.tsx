import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { lazy, Suspense, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { useObject } from '../data/use-live.js';
import { may } from '../model/access-rules.js';
import { idOf, refFor } from '../model/catalog.js';
import { tabsOf } from '../model/tabs.js';
import { DeleteDialog } from '../parts/delete-dialog.js';
import { ErrorNote } from '../parts/error-note.js';
import { EventFeed } from '../parts/event-feed.js';
import { kindPath, Link, objectPath } from '../parts/link.js';
import { ObjectActions } from '../parts/object-actions.js';
import { StatusBadge } from '../parts/status-badge.js';
import { useKeys } from '../parts/use-keys.js';
import { navigate, useRoute, withQuery } from '../router.js';
import { useWords } from '../words/use-words.js';
import { SummaryTab } from './summary-tab.js';

const LogsTab = lazy(() => import('./logs-tab.js'));
const TerminalTab = lazy(() => import('./terminal-tab.js'));
const PreviewTab = lazy(() => import('./preview-tab.js'));
const StoryTab = lazy(() => import('./story-tab.js'));
const SchedulingTab = lazy(() => import('./scheduling-tab.js'));
const RolloutTab = lazy(() => import('./rollout-tab.js'));
const YamlTab = lazy(() => import('./yaml-tab.js'));

interface DetailsPageProps {
  readonly id: string;
  /** `-` for what has none. */
  readonly namespace: string;
  readonly name: string;
}

/** One object: its kind, its state, and actions on it. */
export default function DetailsPage({ id, namespace, name }: DetailsPageProps) {
  const w = useWords();
  const { catalog, access } = useCluster();
  const info = catalog.find(id);
  const scope = namespace === '-' ? undefined : namespace;
  const allowed = info !== undefined && (may(access, 'get', info) || may(access, 'list', info));
  const { object, state } = useObject(allowed ? refFor(info) : undefined, scope, name);
  if (!info || !allowed)
    return (
      <div className="empty">
        <b>{info ? w.mayNotSee(info.kind, name) : w.noSuchKind(id)}</b>
        {w.adviceFor(info ? 403 : 404)}
      </div>
    );
  return (
    <div className="page full">
      <div className="page-head low">
        <div>
          <div className="dim">
            <Link href={kindPath(id, { ns: scope })}>{info.kind}</Link>
            {scope && (
              <>
                {' · '}
                <Link href={objectPath('namespaces', undefined, scope)}>{scope}</Link>
              </>
            )}
          </div>
          <h1>{name}</h1>
        </div>
        {object && <StatusBadge object={object} kind={info.kind} />}
      </div>
      {state.at === 'failed' && <ErrorNote message={state.message ?? ''} advice={w.adviceFor(state.code)} />}
      {!object && state.at === 'loading' && <div className="empty">{w.loading}</div>}
      {!object && (state.at === 'live' || state.at === 'past') && (
        <div className="empty">
          <b>{w.isGone(info.kind, name)}</b>
          <Link href={kindPath(id, { ns: scope })}>{w.backToList}</Link>
        </div>
      )}
      {object && <ObjectTabs info={info} object={object} />}
    </div>
  );
}

interface ObjectProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
}

function ObjectTabs({ info, object }: ObjectProps) {
  const w = useWords();
  const { isCoracle, access } = useCluster();
  const { query } = useRoute();
  const [deleting, setDeleting] = useState(false);
  const { name = '', namespace, uid } = object.metadata;
  // The past can only be looked at.
  const isNow = !query.has('at');
  const tabs = tabsOf(info, {
    isCoracle,
    mayEdit: isNow && may(access, 'update', info),
    mayExec: isNow && ['get', 'create'].some((verb) => may(access, verb, { ...info, resource: 'pods/exec' })),
  });
  const mayDelete = isNow && may(access, 'delete', info);
  const tab = tabs.find((one) => one === query.get('tab')) ?? 'summary';
  const to = (next: string) => () => navigate(withQuery({ tab: next }));
  useKeys({
    y: to('yaml'),
    ...(tabs.includes('edit') && { e: to('edit') }),
    ...(mayDelete && { d: () => setDeleting(true) }),
    ...(tabs.includes('logs') && { l: to('logs') }),
    ...(tabs.includes('terminal') && { s: to('terminal') }),
    Escape: () => navigate(kindPath(idOf(info), { ns: namespace })),
  });
  return (
    <>
      <ObjectActions info={info} object={object} onDelete={() => setDeleting(true)} />
      <nav className="tabs" aria-label={w.parts}>
        {tabs.map((one) => (
          <Link key={one} href={withQuery({ tab: one === 'summary' ? '' : one })} isCurrent={one === tab} keepsInView>
            {w.tabs[one]}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<div className="empty">{w.loading}</div>}>
        <Tab tab={tab} info={info} object={object} />
      </Suspense>
      {deleting && (
        <DeleteDialog info={info} namespace={namespace} name={name} uid={uid} onClose={() => setDeleting(false)} />
      )}
    </>
  );
}

function Tab({ tab, info, object }: ObjectProps & { readonly tab: ReturnType<typeof tabsOf>[number] }) {
  const w = useWords();
  switch (tab) {
    case 'yaml':
      return <YamlTab info={info} object={object} edits={false} />;
    case 'edit':
      return <YamlTab info={info} object={object} edits />;
    case 'events':
      return (
        <div className="panel">
          <EventFeed about={object} empty={w.noEvents} />
        </div>
      );
    case 'logs':
      return <LogsTab object={object} isPod={info.kind === 'Pod'} />;
    case 'terminal':
      return <TerminalTab pod={object} />;
    case 'preview':
      return <PreviewTab object={object} resource={info.kind === 'Pod' ? 'pods' : 'services'} />;
    case 'story': {
      const { namespace = '', name = '', resourceVersion = '' } = object.metadata;
      return <StoryTab namespace={namespace} name={name} version={resourceVersion} />;
    }
    case 'scheduling':
      return <SchedulingTab pod={object} />;
    case 'rollout':
      return <RolloutTab deployment={object} />;
    default:
      return <SummaryTab info={info} object={object} />;
  }
}
