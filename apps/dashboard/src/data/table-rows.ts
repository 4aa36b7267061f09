import { type KubeList, type KubeObject, type ResourceRef, type WatchEvent, writeJson } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import { createClient, type ListOptions, type ResourceClient, type Transport, type WatchSink } from '@coracle/client';
import type { Cell, Column, Row } from '../model/table.js';

interface Table {
  readonly kind?: string;
  readonly metadata?: KubeObject['metadata'];
  readonly columnDefinitions?: readonly Column[];
  readonly rows?: readonly { readonly cells: readonly unknown[]; readonly object?: KubeObject }[];
}

/** The columns of objects that the server does not print: aggregated servers need not. */
const plainColumns: readonly Column[] = [
  { name: 'Name', type: 'string', priority: 0 },
  { name: 'Age', type: 'date', priority: 0 },
];

export interface TableClientOptions {
  readonly transport: Transport;
  readonly ref: ResourceRef<KubeObject>;
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  readonly onColumns: (columns: readonly Column[]) => void;
}

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** Lists and watches a resource as rows of the server's table, so that an informer keeps cells and not objects. */
export function tableClient(options: TableClientOptions): Pick<ResourceClient<Row>, 'list' | 'openWatch'> {
  const { transport, ref, namespace, clock, onColumns } = options;
  const exchange: Transport['exchange'] = (request) =>
    transport.exchange({ ...request, headers: { ...request.headers, accept } });
  const client = createClient({ transport: { exchange } }).resource(ref, namespace);
  const cells = new InternedCells();
  const rowsOf = (table: Table): Row[] => {
    if (table.columnDefinitions?.length) onColumns(table.columnDefinitions);
    return (table.rows ?? []).flatMap((row) =>
      row.object ? [rowOf(row.object, cells.of(row.cells), clock.now())] : [],
    );
  };
  return {
    async list(query: ListOptions = {}): Promise<KubeList<Row>> {
      const list = await client.list(query);
      if (isTable(list)) return { ...list, items: rowsOf(list) };
      onColumns(plainColumns);
      return { ...list, items: list.items.map((object) => plainRowOf(object, clock.now())) };
    },
    openWatch: (query, sink) =>
      client.openWatch(query, {
        event: (event) =>
          tell(event, isTable(event.object) ? rowsOf(event.object) : [plainRowOf(event.object, clock.now())], sink),
        end: sink.end,
      }),
  };
}

function tell(event: WatchEvent<KubeObject>, rows: readonly Row[], sink: WatchSink<Row>): void {
  if (event.type === 'ERROR') sink.event(event);
  else if (event.type === 'BOOKMARK') sink.event({ ...event, object: bookmarkOf(event.object) });
  else for (const object of rows) sink.event({ type: event.type, object });
}

function isTable<T extends { readonly kind?: string }>(answer: T): answer is T & Table {
  return answer.kind === 'Table';
}

function plainRowOf(object: KubeObject, readAt: number): Row {
  const { name = '', creationTimestamp = null } = object.metadata;
  return rowOf(object, [name, creationTimestamp], readAt);
}

/** The version of a bookmark is in the table; its annotations are in the object of its only row. */
function bookmarkOf(table: KubeObject & Table): Row {
  return { metadata: { ...table.metadata, ...table.rows?.[0]?.object?.metadata, name: '' }, cells: [], readAt: 0 };
}

function rowOf({ metadata }: KubeObject, cells: readonly Cell[], readAt: number): Row {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
      ...(deletionTimestamp && { deletionTimestamp }),
    },
    cells,
    readAt,
  };
}

/** Most cells are equal in most rows: one copy of each is kept. */
class InternedCells {
  readonly #rows = new Map<string, string>();

  of(cells: readonly unknown[]): Cell[] {
    return cells.map((cell) => {
      if (typeof cell === 'string') return this.#intern(cell);
      if (typeof cell === 'number' || typeof cell === 'boolean' || cell === null) return cell;
      return cell === undefined ? null : writeJson(cell);
    });
  }

  #intern(text: string): string {
    if (text.length > 40) return text;
    const entry = this.#rows.get(text);
    if (entry !== undefined) return entry;
    if (this.#rows.size < 20_000) this.#rows.set(text, text);
    return text;
  }
}
