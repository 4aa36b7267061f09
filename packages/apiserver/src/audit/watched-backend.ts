import type { Counter, Logger } from '@coracle/base';
import type { AuditBackend } from './audit-event.js';

/** Events of one write, which fail together. */
interface Written {
  readonly promise: Promise<void>;
  readonly failure: Promise<unknown>;
  events: number;
}

/** A backend that counts and logs failures. */
export class WatchedBackend {
  readonly #backend: AuditBackend;
  readonly #errors: Counter;
  readonly #logger: Logger;
  #last: Written | undefined;

  constructor(backend: AuditBackend, errors: Counter, logger: Logger) {
    this.#backend = backend;
    this.#errors = errors;
    this.#logger = logger;
  }

  /** Resolves with the error if the event could not be written; `undefined` if there is nothing to wait for. */
  process(event: string): Promise<unknown> | undefined {
    const promise = this.#backend.process(event);
    if (promise === undefined) return undefined;
    if (this.#last?.promise !== promise) this.#last = this.#watch(promise);
    this.#last.events++;
    return this.#last.failure;
  }

  #watch(promise: Promise<void>): Written {
    const { name } = this.#backend;
    const fail = (error: unknown) => {
      this.#errors.add(written.events, { plugin: name });
      this.#logger.error('audit events could not be written', { backend: name, events: written.events, error });
      return error;
    };
    const written: Written = { promise, failure: promise.then(() => undefined, fail), events: 0 };
    return written;
  }
}
