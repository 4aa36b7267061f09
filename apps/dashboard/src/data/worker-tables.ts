import type { PodSummary } from '../model/pod-map.js';
import type { FromWorker, TableSpec, TableState, TableUpdate, ToWorker, Window } from './messages.js';
import type { PageIdentity } from './page-transport.js';

/** A table that the worker keeps. */
export interface OpenTable extends Disposable {
  look(window: Window): void;
}

/** The page's end of the worker. */
export class WorkerTables {
  readonly #worker: Worker;
  readonly #listeners = new Map<number, (message: FromWorker) => void>();
  #next = 1;

  constructor(identity: PageIdentity) {
    const script = document.querySelector<HTMLMetaElement>('meta[name=worker]')?.content ?? '';
    this.#worker = new Worker(script, { type: 'module' });
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      this.#listeners.get(data.id)?.(data);
    });
    this.#send({ type: 'start', identity });
  }

  open(spec: TableSpec, window: Window, onUpdate: (update: TableUpdate) => void): OpenTable {
    const id = this.#listen((message) => message.type === 'table' && onUpdate(message.update));
    this.#send({ type: 'open', id, spec, window });
    return {
      look: (next) => this.#send({ type: 'look', id, window: next }),
      [Symbol.dispose]: () => this.#close(id),
    };
  }

  summarise(spec: TableSpec, onSummary: (summary: PodSummary, state: TableState) => void): Disposable {
    const id = this.#listen((message) => message.type === 'summary' && onSummary(message.summary, message.state));
    this.#send({ type: 'summarise', id, spec });
    return { [Symbol.dispose]: () => this.#close(id) };
  }

  #listen(listener: (message: FromWorker) => unknown): number {
    const id = this.#next++;
    this.#listeners.set(id, (message) => void listener(message));
    return id;
  }

  #close(id: number): void {
    this.#listeners.delete(id);
    this.#send({ type: 'close', id });
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}
