import type { Compare, Operation, TransactionResult } from '@coracle/store';
import { textOf } from './store-access.js';

interface Value {
  readonly text: string;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
}

/**
 * A model of a store: after each revision, a whole copy of the map. Implementations are compared with it. Results are
 * lines of text, so that differences are readable.
 */
export class StoreModel {
  /** The map after each revision, from the first known one on. */
  readonly #states: ReadonlyMap<string, Value>[] = [new Map()];
  readonly #events: { readonly revision: number; readonly key: string; readonly line: string }[] = [];
  readonly #firstRevision: number;
  compactRevision: number;

  constructor(revision: number) {
    this.#firstRevision = revision;
    this.compactRevision = revision;
  }

  get revision(): number {
    return this.#firstRevision + this.#states.length - 1;
  }

  modRevision(key: string): number {
    return this.#at(this.revision).get(key)?.modRevision ?? 0;
  }

  transact(
    compare: readonly Compare[],
    operations: readonly Operation[],
  ): Pick<TransactionResult, 'succeeded' | 'revision'> {
    if (compare.some(({ key, modRevision }) => this.modRevision(key) !== modRevision)) {
      return { succeeded: false, revision: this.revision };
    }
    const next = new Map(this.#at(this.revision));
    const revision = this.revision + 1;
    const events = operations.flatMap((operation) => applied(next, operation, revision));
    if (events.length > 0) this.#states.push(next);
    this.#events.push(...events);
    return { succeeded: true, revision: this.revision };
  }

  get(key: string, revision: number): string | undefined {
    const value = this.#at(revision).get(key);
    return value && shownValue(key, value);
  }

  list(prefix: string, revision: number): string[] {
    return [...this.#at(revision)]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => shownValue(key, value));
  }

  events(prefix: string, fromRevision: number): string[] {
    return this.#events
      .filter(({ revision, key }) => revision >= fromRevision && key.startsWith(prefix))
      .map(({ line }) => line);
  }

  #at(revision: number): ReadonlyMap<string, Value> {
    return this.#states[revision - this.#firstRevision] ?? new Map();
  }
}

function applied(state: Map<string, Value>, operation: Operation, revision: number) {
  const { key } = operation;
  const before = state.get(key);
  if (operation.kind === 'delete') {
    return state.delete(key) ? [{ revision, key, line: `${revision} -${key}` }] : [];
  }
  const text = textOf(operation.value);
  const value = {
    text,
    createRevision: before?.createRevision ?? revision,
    modRevision: revision,
    version: (before?.version ?? 0) + 1,
  };
  state.set(key, value);
  return [{ revision, key, line: `${revision} +${key}=${text}` }];
}

export function shownValue(key: string, { text, createRevision, modRevision, version }: Value): string {
  return `${key}=${text} created ${createRevision} modified ${modRevision} version ${version}`;
}
