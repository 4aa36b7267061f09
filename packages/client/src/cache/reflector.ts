import {
  initialEventsEnd,
  type KubeObject,
  keyOf,
  type ObjectKey,
  reasonOf,
  StatusError,
  type WatchEvent,
} from '@coracle/apimachinery';
import { Backoff, type Clock, type Logger, type Millis, type Random, sleep } from '@coracle/base';
import { listInPages } from '../pager.js';
import type { ResourceClient, WatchOptions } from '../resource-client.js';
import { mayPass, suggestedDelayMs } from '../retry/retry.js';
import { ReadTrace } from './read-trace.js';

/** The state of a reflector. It has no final state until it is stopped. */
export type ReflectorState =
  | { readonly at: 'idle' }
  /** Reading everything there is: as the first events of a watch, or as a list. */
  | { readonly at: 'listing'; readonly by: 'watch' | 'list' }
  | { readonly at: 'watching'; readonly resourceVersion: string }
  /** The server could not be reached, or returned an error. Retries at `retryAt`. */
  | { readonly at: 'waiting'; readonly error: unknown; readonly retryAt: Millis }
  | { readonly at: 'stopped' };

/** Store of a reflector. */
export interface ReflectorTarget<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  replace(objects: readonly T[]): void;
}

export interface ListSelectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The resource that a reflector watches, and the target of the changes. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Pick<ResourceClient<T>, 'list' | 'openWatch'>;
  readonly target: ReflectorTarget<T>;
  readonly selection?: ListSelectors;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** How a failure is logged: the resource, mostly. */
  readonly name: string;
  /** The kind of the objects. Objects with another kind are reported and left out. */
  readonly expects?: { readonly apiVersion: string; readonly kind: string };
  readonly onState?: (state: ReflectorState) => void;
  /** A watch is closed and restarted after this many seconds, up to twice as many; five minutes by default. */
  readonly watchSeconds?: number;
  /** Uses a list instead of a watch list. For responses that servers do not stream: tables. */
  readonly listsFirst?: boolean;
}

/** Watches are begun again after five to ten minutes, so that load spreads over the API servers. */
const minWatchSeconds = 300;
/** A watch that ends sooner than this, without an event, failed. */
const shortestWatchMs = 1_000;

/** The next step after a watch has ended. */
type Next = { readonly step: 'watch' | 'list'; readonly error?: unknown; readonly afterDelay: boolean };

/**
 * Keeps a target equal to what the server has, by reading everything once and following the changes from there.
 *
 * It reads by a watch that begins with everything (WatchList) where the server can do that, else by a list in pages.
 * After a disconnect the watch resumes at the last resourceVersion: no event is lost or repeated. Only a version that
 * the server no longer has, or a refusal, leads to reading everything again.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: Backoff;
  #state: ReflectorState = { at: 'idle' };
  /** The last version that the target reflects; empty before the first. */
  #version = '';
  #versionExpired = false;
  #canWatchList: boolean;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#canWatchList = !options.listsFirst;
    this.#backoff = new Backoff({ initialMs: 800, maxMs: 30_000, factor: 2, jitter: 1 }, options.random);
  }

  get state(): ReflectorState {
    return this.#state;
  }

  get resourceVersion(): string {
    return this.#version;
  }

  /** Runs until `signal` aborts; then resolves. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let next: Next = { step: 'list', afterDelay: false };
    while (!signal.aborted) {
      if (next.afterDelay) await this.#wait(next.error, signal);
      if (signal.aborted) break;
      next = next.step === 'watch' ? await this.#watch(signal) : await this.#readAll(signal);
    }
    this.#enter({ at: 'stopped' });
  }

  #readAll(signal: AbortSignal): Promise<Next> {
    return this.#canWatchList ? this.#watchFromStart(signal) : this.#listThenWatch(signal);
  }

  async #listThenWatch(signal: AbortSignal): Promise<Next> {
    this.#enter({ at: 'listing', by: 'list' });
    const trace = this.#trace();
    try {
      const { client, selection, target } = this.#options;
      // At first any version in the server's cache; later none older than the last one.
      const resourceVersion = this.#versionExpired ? '' : this.#version || '0';
      // A list from the server's cache comes whole whatever the limit; a consistent one is read in pages.
      const list = await (resourceVersion === ''
        ? listInPages((page) => client.list(page), { ...selection, signal })
        : client.list({ ...selection, resourceVersion, signal }));
      trace.step('Objects listed', { objects: list.items.length });
      target.replace(list.items);
      trace.step('Objects passed on');
      this.#synced(list.metadata.resourceVersion ?? '');
      trace.step('Version noted', { resourceVersion: this.#version });
    } catch (error) {
      trace.step('Failed', { error });
      return this.#afterFailedRead(error);
    } finally {
      trace.end();
    }
    return { step: 'watch', afterDelay: false };
  }

  #afterFailedRead(error: unknown): Next {
    // Retries once without delay: without the expired version the request can succeed.
    const first = isExpired(error) && !this.#versionExpired;
    if (isExpired(error)) this.#versionExpired = true;
    return { step: 'list', error, afterDelay: !first };
  }

  #watchFromStart(signal: AbortSignal): Promise<Next> {
    this.#enter({ at: 'listing', by: 'watch' });
    const session = new WatchProgress<T>({ objects: new Map(), trace: this.#trace() });
    return this.#follow(session, signal, {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: this.#versionExpired ? '' : this.#version,
    });
  }

  #watch(signal: AbortSignal): Promise<Next> {
    this.#enter({ at: 'watching', resourceVersion: this.#version });
    return this.#follow(new WatchProgress<T>(undefined), signal, { resourceVersion: this.#version });
  }

  /** Follows one watch to its end and says what comes next. */
  #follow(session: WatchProgress<T>, signal: AbortSignal, how: WatchOptions): Promise<Next> {
    const { client, selection, clock, random, watchSeconds = minWatchSeconds } = this.#options;
    const timeoutSeconds = Math.floor(watchSeconds * (1 + random.next()));
    const startedAt = clock.now();
    return new Promise((resolve) => {
      const patience = this.#bookmarkPatience(session, (error) => end(error));
      const end = (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        patience?.[Symbol.dispose]();
        watch[Symbol.dispose]();
        resolve(this.#afterWatch(session, error, clock.now() - startedAt));
      };
      const onAbort = () => end(undefined);
      const watch = client.openWatch(
        { ...selection, ...how, allowWatchBookmarks: true, timeoutSeconds },
        {
          event: (event) => {
            patience?.renew();
            const failure = this.#receive(session, event);
            if (failure !== undefined) end(failure);
          },
          end,
        },
      );
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Aborts a watch list that sends nothing for long before it is complete. */
  #bookmarkPatience(session: WatchProgress<T>, giveUp: (error: unknown) => void): Patience | undefined {
    if (!session.initial) return undefined;
    const { clock } = this.#options;
    const begin = (ms: Millis) =>
      clock.schedule(ms, () => {
        if (session.initial) giveUp(new MissingBookmark());
      });
    let timer = begin(firstEventPatienceMs);
    const stop = () => timer[Symbol.dispose]();
    const renew = () => {
      stop();
      if (session.initial) timer = begin(bookmarkPatienceMs);
    };
    return { renew, [Symbol.dispose]: stop };
  }

  /** Forwards one event. Returns the failure that ends the watch, if the event is one. */
  #receive(session: WatchProgress<T>, event: WatchEvent<T>): unknown {
    if (event.type === 'ERROR') return new StatusError(event.object);
    const { type, object } = event;
    // A bookmark has no object: only its resourceVersion counts.
    if (type !== 'BOOKMARK' && !this.#isExpected(object)) return undefined;
    session.events++;
    if (!session.initial) this.#apply(type, object);
    else if (type !== 'BOOKMARK') collect(session.initial.objects, type, object);
    else if (object.metadata.annotations?.[initialEventsEnd] === 'true')
      this.#endInitial(session, session.initial, object);
    return undefined;
  }

  /** An object without a kind is of the requested one. */
  #isExpected({ apiVersion, kind }: T): boolean {
    const { expects, logger, name } = this.#options;
    if (!expects || kind === undefined || (kind === expects.kind && apiVersion === expects.apiVersion)) return true;
    logger.error('Watch event has an object of an unexpected kind', { resource: name, expects, apiVersion, kind });
    return false;
  }

  #endInitial(session: WatchProgress<T>, { objects, trace }: InitialEvents<T>, bookmark: T): void {
    trace.step('Objects received', { objects: objects.size });
    this.#options.target.replace([...objects.values()]);
    trace.step('Objects passed on');
    session.initial = undefined;
    this.#synced(bookmark.metadata.resourceVersion ?? '');
    trace.step('Version noted', { resourceVersion: this.#version });
    trace.end();
    this.#enter({ at: 'watching', resourceVersion: this.#version });
  }

  #apply(type: Exclude<WatchEvent<T>['type'], 'ERROR'>, object: T): void {
    const { target } = this.#options;
    if (type === 'ADDED') target.add(object);
    else if (type === 'MODIFIED') target.update(object);
    else if (type === 'DELETED') target.delete(object);
    // A newer or older server may have unknown event types: their resourceVersion is still valid.
    else if (type !== 'BOOKMARK') this.#options.logger.error('Unknown type of watch event', { type });
    this.#version = object.metadata.resourceVersion ?? this.#version;
    this.#backoff.reset();
  }

  #afterWatch(session: WatchProgress<T>, error: unknown, lastedMs: Millis): Next {
    if (session.initial) {
      session.initial.trace.step('Failed', { error });
      session.initial.trace.end();
      return this.#afterFailedWatchList(error);
    }
    if (error === undefined) {
      const tooShort = session.events === 0 && lastedMs < shortestWatchMs;
      return { step: 'watch', afterDelay: tooShort, ...(tooShort && { error: new Error('very short watch') }) };
    }
    if (isExpired(error)) {
      this.#versionExpired = true;
      return { step: 'list', afterDelay: false, error };
    }
    return { step: mayPass(error) ? 'watch' : 'list', afterDelay: true, error };
  }

  /** A list works also if the server does not support watch lists. */
  #afterFailedWatchList(error: unknown): Next {
    if (isExpired(error) || isConnectionFailure(error) || isBusy(error)) return this.#afterFailedRead(error);
    this.#canWatchList = false;
    return { step: 'list', afterDelay: false };
  }

  #trace(): ReadTrace {
    const { clock, logger, name } = this.#options;
    return new ReadTrace({ clock, logger, name });
  }

  #synced(version: string): void {
    this.#version = version;
    this.#versionExpired = false;
    this.#backoff.reset();
  }

  async #wait(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, logger, name } = this.#options;
    const delayMs = Math.max(this.#backoff.next(), suggestedDelayMs(error) ?? 0);
    this.#enter({ at: 'waiting', error, retryAt: clock.now() + delayMs });
    logger.info('Failed to list or watch a resource, retrying', { resource: name, error, delayMs });
    // It fails only if the wait was aborted, which the caller sees by the signal.
    await sleep(clock, delayMs, signal).catch(() => undefined);
  }

  #enter(state: ReflectorState): void {
    this.#state = state;
    this.#options.onState?.(state);
  }
}

/** Timeouts of a watch list: until its first event, and between events until it is complete. */
const firstEventPatienceMs: Millis = 30_000;
const bookmarkPatienceMs: Millis = 10_000;

interface Patience extends Disposable {
  /** Call it for every event of the server. */
  renew(): void;
}

/** The server ignored `sendInitialEvents`, so the list will never be complete. */
class MissingBookmark extends Error {
  override readonly name = 'MissingBookmark';
  override readonly message = 'no bookmark says that the initial events are complete';
}

/** The initial events that a watch-list has received so far. */
interface InitialEvents<T> {
  readonly objects: Map<ObjectKey, T>;
  readonly trace: ReadTrace;
}

/** The progress of one watch. */
class WatchProgress<T> {
  /** Whether the initial events are still being received. */
  initial: InitialEvents<T> | undefined;
  events = 0;

  constructor(initial: InitialEvents<T> | undefined) {
    this.initial = initial;
  }
}

function collect<T extends KubeObject>(objects: Map<ObjectKey, T>, type: WatchEvent<T>['type'], object: T): void {
  if (type === 'DELETED') objects.delete(keyOf(object));
  else objects.set(keyOf(object), object);
}

/** The resourceVersion is not available: too old or, after a restore from a backup, in the future. */
function isExpired(error: unknown): boolean {
  const reason = reasonOf(error);
  return reason === 'Expired' || reason === 'Gone' || isTooLarge(error);
}

function isTooLarge(error: unknown): boolean {
  if (!StatusError.is(error)) return false;
  const { details, message = '' } = error.status;
  const named = details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;
  return named || message.includes('Too large resource version');
}

/** The server could not be reached, or the connection was lost. */
function isConnectionFailure(error: unknown): boolean {
  return error !== undefined && !(error instanceof MissingBookmark) && !StatusError.is(error);
}

/** The server or a proxy responded with `Retry-After`. */
function isBusy(error: unknown): boolean {
  return StatusError.is(error) && [429, 502, 503, 504].includes(error.status.code);
}
