import { asStatusError, StatusError } from '@coracle/apimachinery';
import { type Clock, type Random, silentLogger } from '@coracle/base';
import { CachedInformer, type Transport } from '@coracle/client';
import type { Column, Row, WindowRow } from '../model/table.js';
import type { TableSpec, TableState, TableUpdate, Window } from './messages.js';
import { keyOfRow, RowStore } from './row-store.js';
import { tableClient } from './table-rows.js';

export interface TableEngineOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly spec: TableSpec;
  /** Called when something has changed, and then not again until the rows have been read. */
  readonly onChange: () => void;
}

/** Rows that are loaded ahead of all others, so that there is something to see. */
const firstRows = 100;

/** Follows one resource as a table: informer → rows in order → the visible part. */
export class TableEngine implements Disposable {
  readonly rows = new RowStore();
  readonly #options: TableEngineOptions;
  readonly #stop = new AbortController();
  readonly #client: ReturnType<typeof tableClient>;
  #columns: readonly Column[] = [];
  #state: TableState = { at: 'loading' };

  constructor(options: TableEngineOptions) {
    this.#options = options;
    const { ref, namespace } = options.spec;
    this.#client = tableClient({
      transport: options.transport,
      ref,
      namespace,
      clock: options.clock,
      onColumns: (columns) => this.#setColumns(columns),
    });
    void (options.spec.at === undefined ? this.#follow() : this.#readPast(options.spec.at));
  }

  get state(): TableState {
    return this.#state;
  }

  get columns(): readonly Column[] {
    return this.#columns;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  update({ from, to }: Window): TableUpdate {
    const { columns, state, rows } = this;
    return { columns, total: rows.size, matched: rows.matched, from, rows: rows.rows(from, to).map(windowRow), state };
  }

  get #selection() {
    const { labelSelector, fieldSelector } = this.#options.spec;
    return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
  }

  async #readPast(resourceVersion: string): Promise<void> {
    try {
      const query = { ...this.#selection, resourceVersion, resourceVersionMatch: 'Exact' as const };
      const { items } = await this.#client.list({ ...query, signal: this.#stop.signal });
      for (const row of items) this.rows.put(row);
      this.#enter({ at: 'past' });
    } catch (error) {
      this.#fail(error);
    }
  }

  async #follow(): Promise<void> {
    const { clock, random, spec } = this.#options;
    const { signal } = this.#stop;
    try {
      const first = await this.#client.list({ ...this.#selection, limit: firstRows, signal });
      for (const row of first.items) this.rows.put(row);
      this.#options.onChange();
    } catch (error) {
      this.#fail(error);
      // Rejected requests are not repeated.
      if (StatusError.is(error)) return;
    }
    const informer = new CachedInformer<Row>({
      client: this.#client,
      clock,
      random,
      logger: silentLogger,
      name: spec.ref.resource,
      selection: this.#selection,
      listsFirst: true,
      onState: (state) => {
        if (state.at === 'watching') this.#enter({ at: 'live' });
        else if (state.at === 'waiting') this.#fail(state.error);
      },
    });
    informer.addHandler(({ type, object }) => {
      if (type === 'deleted') this.rows.delete(keyOfRow(object));
      else this.rows.put(object);
      this.#options.onChange();
    });
    void informer.synced().then(() => {
      const keys = new Set(informer.list().map(keyOfRow));
      this.rows.retain((key) => keys.has(key));
      this.#enter({ at: 'live' });
    });
    await informer.run(signal);
  }

  #setColumns(columns: readonly Column[]): void {
    if (JSON.stringify(columns) === JSON.stringify(this.#columns)) return;
    this.#columns = columns;
    this.rows.setColumns(columns);
  }

  #enter(state: TableState): void {
    this.#state = state;
    this.#options.onChange();
  }

  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const { status, message } = asStatusError(error);
    this.#enter({ at: 'failed', message, ...(StatusError.is(error) && { code: status.code }) });
  }
}

function windowRow(row: Row): WindowRow {
  const { name = '', namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = row.metadata;
  return {
    key: keyOfRow(row),
    name,
    namespace,
    uid,
    version: resourceVersion,
    created: creationTimestamp,
    isEnding: deletionTimestamp !== undefined,
    cells: row.cells,
    readAt: row.readAt,
  };
}
