import type { KubeObject } from '@coracle/apimachinery';
import { useMemo } from 'react';
import { useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { may } from '../model/access-rules.js';
import { ageOf } from '../model/age.js';
import { idOf } from '../model/catalog.js';
import { type EventObject, latestFirst, onlyShown, timeOf } from '../model/events.js';
import { useWords } from '../words/use-words.js';
import { ErrorNote } from './error-note.js';
import { Link, objectPath } from './link.js';
import { useNamespace } from './namespace-select.js';
import { useNow } from './use-now.js';

interface EventFeedProps {
  readonly type?: 'Warning';
  /** Events about this object alone. */
  readonly about?: KubeObject | undefined;
  readonly empty: string;
}

/** The latest events, the newest first. */
export function EventFeed({ type, about, empty }: EventFeedProps) {
  const w = useWords();
  const { access } = useCluster();
  const chosen = useNamespace();
  const allowed = may(access, 'list', refs.events);
  const selectors = [type && `type=${type}`, about && `involvedObject.uid=${about.metadata.uid}`].filter(Boolean);
  const namespace = about ? about.metadata.namespace || (access.onlyNamespace ?? undefined) : chosen;
  const { items, state } = useLive<EventObject>(
    allowed ? { ref: refs.events, namespace, fieldSelector: selectors.join(','), transform: onlyShown } : undefined,
  );
  const latest = useMemo(() => latestFirst(items, 100), [items]);
  if (!allowed) return <p className="dim">{w.mayNotSeeEvents}</p>;
  if (state.at === 'failed') return <ErrorNote message={state.message ?? ''} advice={w.adviceFor(state.code)} />;
  if (latest.length === 0) return <p className="dim">{state.at === 'loading' ? w.loading : empty}</p>;
  return (
    <ul className="feed">
      {latest.map((event) => (
        <EventLine key={event.metadata.uid} event={event} showsObject={!about} />
      ))}
    </ul>
  );
}

function EventLine({ event, showsObject }: { readonly event: EventObject; readonly showsObject: boolean }) {
  const { catalog } = useCluster();
  const now = useNow(5000);
  const { involvedObject: of, reason, message, type, count = 1 } = event;
  const info = catalog.byKind(of.apiVersion ?? 'v1', of.kind ?? '');
  return (
    <li>
      <span>
        <span className={type === 'Warning' ? 'badge waiting' : 'badge'}>{reason}</span>{' '}
        {showsObject &&
          (info ? (
            <Link href={objectPath(idOf(info), of.namespace, of.name ?? '')}>
              {of.kind}/{of.name}
            </Link>
          ) : (
            `${of.kind}/${of.name}`
          ))}
      </span>
      <span className="dim">
        {count > 1 && `×${count} · `}
        {ageOf(timeOf(event), now)}
      </span>
      <p>{message}</p>
    </li>
  );
}
