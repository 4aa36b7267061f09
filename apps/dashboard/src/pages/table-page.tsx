import type { ResourceInfo } from '@coracle/apimachinery';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import type { TableSpec } from '../data/messages.js';
import { may } from '../model/access-rules.js';
import { idOf, refFor } from '../model/catalog.js';
import { chosenColumns, columnsOf } from '../model/columns.js';
import { mayShow, pluralOf } from '../model/navigation.js';
import { sortOf } from '../model/sort.js';
import type { WindowRow } from '../model/table.js';
import { ColumnChooser, useChosenColumns } from '../parts/column-chooser.js';
import { DeleteDialog } from '../parts/delete-dialog.js';
import { ErrorNote } from '../parts/error-note.js';
import { Link, objectPath } from '../parts/link.js';
import { NamespaceSelect, useNamespace } from '../parts/namespace-select.js';
import { useKeys } from '../parts/use-keys.js';
import { useTable } from '../parts/use-table.js';
import { VirtualTable } from '../parts/virtual-table.js';
import { navigate, useRoute, withQuery } from '../router.js';
import { useWords } from '../words/use-words.js';

/** Every object of a kind, live. */
export function TablePage({ id }: { readonly id: string }) {
  const w = useWords();
  const { catalog, access } = useCluster();
  const info = catalog.find(id);
  if (!info || !mayShow(info, access))
    return (
      <div className="empty">
        <b>{info ? w.mayNotList(pluralOf(info.kind)) : w.noSuchKind(id)}</b>
        {w.adviceFor(info ? 403 : 404)}
      </div>
    );
  return <KindTable info={info} />;
}

function KindTable({ info }: { readonly info: ResourceInfo }) {
  const w = useWords();
  const { query } = useRoute();
  const { access } = useCluster();
  const id = idOf(info);
  const search = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState<string | undefined>();
  const [deleting, setDeleting] = useState<WindowRow | undefined>();
  const [columnNames, chooseColumns] = useChosenColumns(id);
  const spec = useSpec(info);
  const sort = sortOf(query.get('sort') ?? usualSort[id] ?? null);
  const table = useTable(spec, { search: query.get('q') ?? '', sort });
  const { update } = table;
  const createIn = spec.namespace ? { ns: spec.namespace } : undefined;
  const all = useMemo(
    () => columnsOf(update.columns, info.namespaced && spec.namespace === undefined),
    [update.columns, info.namespaced, spec.namespace],
  );
  const columns = useMemo(() => chosenColumns(all, update.columns, columnNames), [all, update.columns, columnNames]);
  const open = (row: WindowRow, tab?: string) =>
    navigate(objectPath(id, row.namespace, row.name) + (tab ? `?tab=${tab}` : ''));
  const row = update.rows.find(({ key }) => key === selected);
  const at = (tab?: string) => () => row && open(row, tab);
  useKeys({
    '/': () => search.current?.focus(),
    j: () => setSelected(neighbour(update.rows, selected, 1)),
    k: () => setSelected(neighbour(update.rows, selected, -1)),
    Enter: at(),
    y: at('yaml'),
    e: at('edit'),
    l: at('logs'),
    s: at('terminal'),
    ...(may(access, 'delete', info) && !spec.at && { d: () => row && setDeleting(row) }),
  });
  return (
    <div className="page full">
      <div className="page-head">
        <h1>{pluralOf(info.kind)}</h1>
        <span className="dim">
          {info.group || 'core'}/{info.version}
        </span>
        <span className="grow" />
        {info.verbs.includes('create') && may(access, 'create', info) && !spec.at && (
          <Link className="button" href={`/create?${new URLSearchParams({ kind: id, ...createIn })}`}>
            {w.create}
          </Link>
        )}
        {info.namespaced && <NamespaceSelect />}
      </div>
      <Filters kind={id} search={search} all={all} shown={columns.map(({ name }) => name)} onColumns={chooseColumns} />
      {update.state.at === 'failed' && (
        <ErrorNote message={update.state.message ?? ''} advice={w.adviceFor(update.state.code)} />
      )}
      <VirtualTable
        label={pluralOf(info.kind)}
        columns={columns}
        update={update}
        sort={sort}
        onSort={(sort) => navigate(withQuery({ sort }), { replace: true })}
        onWindow={table.look}
        selected={selected}
        onSelect={setSelected}
        hrefOf={(one) => objectPath(id, one.namespace, one.name)}
        kind={id}
      />
      <StatusLine total={update.total} matched={update.matched} state={update.state.at} />
      {deleting && (
        <DeleteDialog
          info={info}
          namespace={deleting.namespace}
          name={deleting.name}
          uid={deleting.uid}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </div>
  );
}

function useSpec(info: ResourceInfo): TableSpec {
  const { query } = useRoute();
  const chosen = useNamespace();
  const namespace = info.namespaced ? chosen : undefined;
  const labelSelector = query.get('label') ?? undefined;
  const fieldSelector = query.get('field') ?? undefined;
  const at = query.get('at') ?? undefined;
  return useMemo(
    () => ({ ref: refFor(info), namespace, labelSelector, fieldSelector, at }),
    [info, namespace, labelSelector, fieldSelector, at],
  );
}

/** All but these are sorted by name unless people choose. */
const usualSort: Readonly<Record<string, string>> = { events: 'Last Seen' };

function neighbour(rows: readonly WindowRow[], selected: string | undefined, step: number): string | undefined {
  const index = rows.findIndex(({ key }) => key === selected);
  if (index < 0) return rows[0]?.key;
  return rows[Math.max(0, Math.min(rows.length - 1, index + step))]?.key;
}

interface FiltersProps {
  readonly kind: string;
  readonly search: React.RefObject<HTMLInputElement | null>;
  readonly all: ReturnType<typeof columnsOf>;
  readonly shown: readonly string[];
  readonly onColumns: (names: readonly string[] | undefined) => void;
}

function Filters({ kind, search, all, shown, onColumns }: FiltersProps) {
  const w = useWords();
  const { query } = useRoute();
  const set = (name: string, value: string) => navigate(withQuery({ [name]: value }), { replace: true });
  return (
    <div className="bar filters">
      <input
        ref={search}
        type="search"
        aria-label={w.search}
        placeholder={`${w.search}  /`}
        value={query.get('q') ?? ''}
        onChange={(event) => set('q', event.target.value)}
        onKeyDown={leaveOnEscape}
      />
      <CommittedInput
        label={w.labelSelector}
        placeholder={`${w.labelSelector}: app=web`}
        value={query.get('label') ?? ''}
        onCommit={(value) => set('label', value)}
      />
      <CommittedInput
        label={w.fieldSelector}
        placeholder={`${w.fieldSelector}: ${kind === 'pods' ? 'spec.nodeName=node-1' : 'metadata.name=web'}`}
        value={query.get('field') ?? ''}
        onCommit={(value) => set('field', value)}
      />
      <span className="grow" />
      <ColumnChooser all={all} shown={shown} onChange={onColumns} />
    </div>
  );
}

/** Back to the rows. The search stays, which browsers would clear. */
function leaveOnEscape(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  event.currentTarget.blur();
}

interface CommittedInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onCommit: (value: string) => void;
}

/** The request is sent when the text is complete, not at each letter. */
function CommittedInput({ label, placeholder, value, onCommit }: CommittedInputProps) {
  const [text, setText] = useState(value);
  return (
    <input
      type="text"
      aria-label={label}
      title={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => onCommit(text.trim())}
      onKeyDown={(event) => event.key === 'Enter' && onCommit(text.trim())}
    />
  );
}

function StatusLine({
  total,
  matched,
  state,
}: {
  readonly total: number;
  readonly matched: number;
  readonly state: 'loading' | 'live' | 'past' | 'failed';
}) {
  const w = useWords();
  return (
    <div className="status-line">
      <span role="status">
        {matched === total ? w.objectCount(total) : w.objectsOf(matched, total)} · {w.tableState[state]}
      </span>
      <span className="grow" />
      <span className="wide">
        <kbd>/</kbd> {w.search} <kbd>j</kbd> <kbd>k</kbd> {w.keys.move} <kbd>Enter</kbd> {w.keys.open} <kbd>y</kbd> YAML{' '}
        <kbd>l</kbd> {w.logs} <kbd>e</kbd> {w.edit} <kbd>d</kbd> {w.delete}
      </span>
    </div>
  );
}
