import type { Http2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Outgoing } from './messages.js';

/** Responses in progress, for a graceful shutdown: streams are ended, and other responses are awaited. */
export class OpenAnswers {
  readonly #open = new Set<Outgoing>();
  readonly #streams = new Set<Outgoing>();
  /** Number of responses on each HTTP/2 connection. */
  readonly #bySession = new Map<Http2Session, number>();
  #whenNone: (() => void) | undefined;

  begin(outgoing: Outgoing, session?: Http2Session): void {
    this.#open.add(outgoing);
    if (session) this.#bySession.set(session, (this.#bySession.get(session) ?? 0) + 1);
  }

  /** A response without an end, such as a watch. */
  isStream(outgoing: Outgoing): void {
    if (this.#open.delete(outgoing)) this.#streams.add(outgoing);
  }

  end(outgoing: Outgoing, session?: Http2Session): void {
    this.#open.delete(outgoing);
    this.#streams.delete(outgoing);
    if (session) this.#endOn(session);
    if (this.#open.size === 0 && this.#streams.size === 0) this.#whenNone?.();
  }

  /** Whether a request is in flight on a connection of HTTP/1.1. */
  isAnswering(socket: Duplex): boolean {
    for (const answers of [this.#open, this.#streams])
      for (const outgoing of answers) if (outgoing.socket === socket) return true;
    return false;
  }

  /** Resolves when the previous requests on an HTTP/1.1 connection have been answered: at once if there are none. */
  async answered(socket: Duplex): Promise<void> {
    const outgoing = [...this.#open, ...this.#streams].filter(({ req }) => req.socket === socket);
    await Promise.all(outgoing.map((one) => new Promise<void>((resolve) => one.once('close', () => resolve()))));
  }

  /** Whether a request is in flight on a connection of HTTP/2. */
  isAnsweringOn(session: Http2Session): boolean {
    return this.#bySession.has(session);
  }

  /** Resolves when the last response was sent, or after `longestMs`. */
  async finish(longestMs: number): Promise<void> {
    for (const stream of this.#streams) stream.end();
    if (this.#open.size === 0 && this.#streams.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longestMs);
      this.#whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #endOn(session: Http2Session): void {
    const left = (this.#bySession.get(session) ?? 1) - 1;
    if (left === 0) this.#bySession.delete(session);
    else this.#bySession.set(session, left);
  }
}
