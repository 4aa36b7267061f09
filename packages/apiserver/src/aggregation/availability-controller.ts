import { refs } from '@coracle/api';
import { isNotFound, type KubeObject, type ObjectMeta, type ResourceRef, setCondition } from '@coracle/apimachinery';
import { Backoff, deepEqual, every, type Logger, type Metrics, type Millis } from '@coracle/base';
import type { Needs } from '../server-parts.js';
import type { CacheEvent } from '../watching/cache-event.js';
import { followCache } from '../watching/follow-cache.js';
import type { ApiService, ApiServiceTable, RemoteVersion } from './api-service-table.js';
import { AvailabilityMetrics } from './availability-metrics.js';
import { type Availability, checkRemote, localAvailability } from './check-availability.js';

/** Interval between availability checks. */
const recheckMs: Millis = 30_000;
/** Interval for a server that is unavailable: it may be starting, and its group is not served until it answers. */
const retry = { initialMs: 100, maxMs: recheckMs };

export interface AvailabilityDependencies {
  readonly parts: Needs<'objects' | 'writer' | 'resources' | 'outbound' | 'clock'>;
  readonly table: ApiServiceTable;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Keeps the condition `Available` of APIServices: checks their servers when they, their services or the endpoints of
 * these change, and periodically.
 */
export class AvailabilityController implements Disposable {
  readonly #deps: AvailabilityDependencies;
  readonly #metrics: AvailabilityMetrics;
  readonly #documents = new Map<string, unknown>();
  readonly #subscriptions: Disposable[] = [];
  readonly #backoff = new Backoff(retry);
  #pending: Disposable | undefined;
  #retry: Disposable | undefined;
  #working: Promise<void> = Promise.resolve();
  #disposed = false;
  /** Generation of the APIServices when the local ones were reported. */
  #localGeneration: number | undefined;
  /** Increases when a server reports other resources. */
  generation = 0;

  constructor(deps: AvailabilityDependencies) {
    this.#deps = deps;
    this.#metrics = new AvailabilityMetrics(deps.metrics);
  }

  start(): void {
    this.#follow(refs.apiServices, () => true);
    this.#follow(refs.services, (event) => this.#isBackend(event, ({ name }) => name));
    this.#follow(refs.endpointSlices, (event) =>
      this.#isBackend(event, ({ labels }) => labels?.['kubernetes.io/service-name']),
    );
    const again = every(this.#deps.parts.clock, recheckMs, () => {
      if (this.#deps.table.remote.size > 0) this.check();
    });
    this.#subscriptions.push(again);
    this.check();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#pending?.[Symbol.dispose]();
    this.#retry?.[Symbol.dispose]();
    for (const subscription of this.#subscriptions.splice(0)) subscription[Symbol.dispose]();
  }

  /** The resources that the server of a group version reports; `undefined` until the first check. */
  documentOf(apiVersion: string): unknown {
    return this.#documents.get(apiVersion);
  }

  /** Changes that occur together are handled once. */
  check(): void {
    if (this.#disposed) return;
    this.#pending ??= this.#deps.parts.clock.schedule(0, () => {
      this.#pending = undefined;
      this.#working = this.#working
        .then(() => this.#work())
        .catch((error: unknown) => this.#deps.logger.error('APIServices could not be checked', { error }));
    });
  }

  /** Whether an APIService refers to the service of an event. */
  #isBackend({ current, previous }: CacheEvent, serviceOf: (metadata: ObjectMeta) => string | undefined): boolean {
    const { remote } = this.#deps.table;
    const metadata = remote.size > 0 && (current ?? previous)?.object.metadata;
    if (!metadata) return false;
    const service = serviceOf(metadata);
    return [...remote.values()].some(
      ({ destination: { namespace, name } }) => name === service && namespace === metadata.namespace,
    );
  }

  #follow(ref: ResourceRef<KubeObject>, isRelevant: (event: CacheEvent) => boolean): void {
    const cache = this.#deps.parts.resources.findStored(ref)?.storage.cache;
    if (!cache) return;
    const follower = {
      onEvent: (event: CacheEvent) => {
        if (isRelevant(event)) this.check();
      },
      onReload: () => this.check(),
    };
    this.#subscriptions.push(followCache(cache, follower));
  }

  async #work(): Promise<void> {
    const { table } = this.#deps;
    const remote = [...table.remote];
    for (const apiVersion of this.#documents.keys())
      if (!table.remote.has(apiVersion)) this.#note(apiVersion, undefined);
    this.#metrics.keep(new Set(remote.map(([, { name }]) => name)));
    const available = await Promise.all(remote.map(([apiVersion, one]) => this.#checkOne(apiVersion, one)));
    this.#retryUnless(available.every(Boolean));
    await this.#reportLocal();
  }

  /** Local APIServices are checked only after one has changed. */
  async #reportLocal(): Promise<void> {
    const { table, parts } = this.#deps;
    const { generation } = table;
    if (generation === this.#localGeneration) return;
    const local = parts.objects.list(refs.apiServices).filter(({ spec }) => !spec?.service);
    const reported = await Promise.all(
      local.map(({ metadata }) => this.#report(metadata.name ?? '', localAvailability)),
    );
    if (reported.every(Boolean)) this.#localGeneration = generation;
  }

  /** A scheduled retry stays scheduled, whatever is checked in between. */
  #retryUnless(isWell: boolean): void {
    if (isWell) {
      this.#backoff.reset();
      this.#retry?.[Symbol.dispose]();
      this.#retry = undefined;
    } else if (!this.#disposed) {
      this.#retry ??= this.#deps.parts.clock.schedule(this.#backoff.next(), () => {
        this.#retry = undefined;
        this.check();
      });
    }
  }

  /** Resolves with whether it is available. */
  async #checkOne(apiVersion: string, remote: RemoteVersion): Promise<boolean> {
    const { parts } = this.#deps;
    const { availability, document } = await checkRemote(parts.outbound, parts.objects, remote);
    if (document !== undefined) this.#note(apiVersion, document);
    await this.#report(remote.name, availability);
    return availability.status === 'True';
  }

  #note(apiVersion: string, document: unknown): void {
    const before = this.#documents.get(apiVersion);
    if (before === document || deepEqual(before, document)) return;
    if (document === undefined) this.#documents.delete(apiVersion);
    else this.#documents.set(apiVersion, document);
    this.generation++;
  }

  /** False if the status could not be written. */
  async #report(name: string, availability: Availability): Promise<boolean> {
    const { parts, logger } = this.#deps;
    const current = parts.objects.get(refs.apiServices, '', name) as ApiService | undefined;
    const condition = current?.status?.conditions?.find(({ type }) => type === 'Available');
    if (!current || this.#disposed) return true;
    this.#metrics.checked(name, availability);
    const { status, reason, message } = availability;
    if (condition?.status === status && condition.reason === reason && condition.message === message) return true;
    try {
      await parts.writer.updateStatus(refs.apiServices, '', name, (latest) => ({
        ...latest,
        status: {
          conditions: [
            ...setCondition(latest.status?.conditions, { type: 'Available', ...availability }, parts.clock.now()),
          ],
        },
      }));
      this.#metrics.changed(name, condition?.status, availability);
    } catch (error) {
      if (!isNotFound(error)) {
        logger.error('the status of an APIService could not be written', { name, error });
        return false;
      }
    }
    return true;
  }
}
