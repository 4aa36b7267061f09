import { type Exchange, type KubeObject, pageNotFound, type ResourceRef } from '@coracle/apimachinery';
import { aborted, Deferred, type Logger, type Metrics, PrometheusMetrics, silentLogger, sleep } from '@coracle/base';
import { type Client, createEventRecorder, type EventRecorder, electLeader, type LeaderElector } from '@coracle/client';
import { cachedClient } from './cache/cached-client.js';
import { ObjectCache } from './cache/object-cache.js';
import { Controller, type ControllerSettings } from './controller.js';
import { type HealthCheck, HealthChecks, text } from './health-checks.js';
import type { ManagerOptions, Serve } from './manager-options.js';
import type { Reconciler } from './reconciler.js';
import { type Runnable, type RunnableGroup, RunningGroup, runnableGroups } from './runnable.js';
import { WebhookServer } from './webhook/webhook-server.js';

/** Creates a manager, which runs controllers, webhooks and other runnables with a shared client and cache. */
export function createManager(options: ManagerOptions): Manager {
  return new Manager(options);
}

/**
 * Owns what controllers share (client, cache, metrics, events, webhooks) and runs them.
 *
 * It starts, in this order and each complete before the next: metrics and health, webhooks, caches, what runs whether
 * this process leads or not, and, once this process leads, controllers. It stops them in the opposite order.
 */
export class Manager implements AsyncDisposable {
  /** Gets and lists from the cache, everything else at the server. */
  readonly client: Client;
  /** Reads from the server too. */
  readonly apiReader: Client;
  readonly cache: ObjectCache;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Handlers of admission and conversion reviews, served where the options say. */
  readonly webhooks = new WebhookServer();
  readonly #options: ManagerOptions;
  readonly #groups: Readonly<Record<RunnableGroup, RunningGroup>>;
  readonly #recorders: (EventRecorder & AsyncDisposable)[] = [];
  readonly #healthz = new HealthChecks();
  readonly #readyz = new HealthChecks();
  readonly #metricsPaths = new Map<string, Exchange>();
  readonly #elected = new Deferred<void>();
  readonly #stop = new AbortController();
  readonly #failed = new Deferred<never>();
  readonly #ready = new Deferred<void>();
  #elector: LeaderElector | undefined;
  #run: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    const { clock, random, activity, name = 'controller-manager' } = options;
    this.#options = options;
    this.logger = options.logger ?? silentLogger;
    this.metrics = options.metrics ?? new PrometheusMetrics();
    this.apiReader = options.client.withUserAgent(name);
    this.cache = new ObjectCache({
      ...options.cache,
      client: this.apiReader,
      clock,
      random,
      logger: this.logger,
      ...(activity && { activity }),
    });
    this.client = cachedClient({
      client: options.dryRun ? this.apiReader.withDryRun() : this.apiReader,
      cache: this.cache,
      ...(options.uncached && { uncached: options.uncached }),
    });
    const fail = (error: unknown) => this.#failed.reject(error);
    this.#groups = Object.fromEntries(runnableGroups.map((group) => [group, new RunningGroup(fail)])) as Record<
      RunnableGroup,
      RunningGroup
    >;
    this.#failed.promise.catch(() => undefined);
    this.#ready.promise.catch(() => undefined);
    this.#addServers();
    this.add(this.cache);
  }

  /** Adds something to run. A bare function runs with the controllers. It may be called after the start, too. */
  add(runnable: Runnable | Runnable['start']): void {
    const whole = typeof runnable === 'function' ? { start: runnable } : runnable;
    this.#groups[whole.group ?? 'leaderElection'].add(whole);
  }

  /** Makes a controller with the manager's parts, without adding it. `newController` does both. */
  controller(options: ControllerSettings & { readonly name: string; readonly reconciler: Reconciler }): Controller {
    const { clock, activity, controllers } = this.#options;
    const parts = { clock, logger: this.logger, metrics: this.metrics, ...(activity && { activity }) };
    return new Controller({ ...controllers, ...options, ...parts });
  }

  /** Records events about objects. Pending events are written before the manager has stopped. */
  eventRecorder(component: string): EventRecorder {
    const { clock, random, activity } = this.#options;
    const recorder = createEventRecorder({
      client: this.apiReader,
      clock,
      random,
      logger: this.logger,
      component,
      ...(activity && { activity }),
    });
    this.#recorders.push(recorder);
    return recorder;
  }

  /** Adds an index to the cache: `client.resource(ref).list({ fieldSelector: 'NAME=value' })` then finds by it. */
  addIndex<T extends KubeObject>(ref: ResourceRef<T>, name: string, values: (object: T) => readonly string[]): void {
    this.cache.addIndex(ref, name, values);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#healthz.add(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#readyz.add(name, check);
  }

  /** Another path beside `/metrics`. */
  addMetricsPath(path: string, exchange: Exchange): void {
    this.#metricsPaths.set(path, exchange);
  }

  /** Resolves when this process leads; at the start if there is no election. */
  get elected(): Promise<void> {
    return this.#elected.promise;
  }

  /** Resolves when caches are complete and all that does not need the lead has started. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Answers `/healthz` and `/readyz`. */
  readonly health: Exchange = async (request) => {
    const [, path, below = ''] = /^\/(healthz|readyz)(?:\/(.*))?$/.exec(request.path) ?? [];
    if (path === 'healthz') return this.#healthz.answer(request, below);
    if (path === 'readyz') return this.#readyz.answer(request, below);
    return text(404, '404 page not found\n');
  };

  /** Answers `/metrics` and the paths that were added. */
  readonly metricsPage: Exchange = async (request) => {
    const extra = this.#metricsPaths.get(request.path);
    if (extra) return extra(request);
    if (request.path !== '/metrics' || !(this.metrics instanceof PrometheusMetrics))
      return text(404, `${pageNotFound().message}\n`);
    return text(200, this.metrics.render(), 'text/plain; version=0.0.4; charset=utf-8');
  };

  /**
   * Runs until `signal` aborts or `stop` is called. Fails with the error of what could not run, or did not end in
   * time, or if the lead was lost: then the process must end, for another leads.
   */
  start(signal?: AbortSignal): Promise<void> {
    if (this.#run !== undefined) return Promise.reject(new Error('manager already started'));
    this.#run = this.#runUntil(signal ?? this.#stop.signal);
    return this.#run;
  }

  /** Resolves when everything has ended, however it ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#run?.catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #runUntil(signal: AbortSignal): Promise<void> {
    const errors: unknown[] = [];
    this.logger.info('starting manager');
    try {
      await Promise.race([this.#startAll(), aborted(signal), aborted(this.#stop.signal), this.#failed.promise]);
      await Promise.race([aborted(signal), aborted(this.#stop.signal), this.#failed.promise]);
    } catch (error) {
      errors.push(error);
    }
    this.#stop.abort();
    await this.#stopAll().catch((error: unknown) => errors.push(error));
    this.#ready.reject(errors[0] ?? new Error('the manager has stopped'));
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join(', '));
    if (errors.length === 1) throw errors[0];
  }

  async #startAll(): Promise<void> {
    for (const group of ['servers', 'webhooks', 'caches', 'others'] as const) {
      await this.#groups[group].start();
      if (this.#stop.signal.aborted) return;
    }
    this.#ready.resolve();
    if (this.#options.leaderElection) this.#elect(this.#options.leaderElection);
    else await this.#lead();
  }

  async #lead(): Promise<void> {
    this.#elected.resolve();
    await this.#groups.leaderElection.start();
  }

  #elect(election: NonNullable<ManagerOptions['leaderElection']>): void {
    const { clock, random } = this.#options;
    this.#elector = electLeader({
      ...election,
      client: this.apiReader,
      clock,
      random,
      logger: this.logger,
      recorder: this.eventRecorder(election.identity),
      onStartedLeading: () => void this.#lead().catch((error: unknown) => this.#failed.reject(error)),
      onStoppedLeading: () => this.#failed.reject(new Error('leader election lost')),
    });
  }

  async #stopAll(): Promise<void> {
    const { clock, gracefulStopMs = 30_000 } = this.#options;
    const inTime = new AbortController();
    const late = sleep(clock, gracefulStopMs, inTime.signal).then(() => {
      throw new Error(
        `failed waiting for all runnables to end within grace period of ${gracefulStopMs / 1000}s: context deadline exceeded`,
      );
    });
    try {
      await Promise.race([this.#stopInOrder(), late]);
    } finally {
      inTime.abort();
      await late.catch(() => undefined);
      // The lease is released only when no controller works any more; its event is recorded like any other.
      await this.#elector?.[Symbol.asyncDispose]();
      for (const recorder of this.#recorders) await recorder[Symbol.asyncDispose]();
    }
  }

  async #stopInOrder(): Promise<void> {
    this.logger.info('Stopping and waiting for runnables', { groups: [...runnableGroups].reverse() });
    for (const group of [...runnableGroups].reverse()) await this.#groups[group].stop();
  }

  #addServers(): void {
    const { metrics, health, webhooks } = this.#options.serve ?? {};
    if (metrics) this.add(served('metrics', metrics, this.metricsPage));
    if (health) this.add(served('health', health, this.health));
    if (webhooks) this.add({ ...served('webhooks', webhooks, this.webhooks.exchange), group: 'webhooks' });
  }
}

function served(name: string, serve: Serve, exchange: Exchange): Runnable {
  const listening = new Deferred<void>();
  listening.promise.catch(() => undefined);
  return {
    name,
    group: 'servers',
    async start(signal) {
      try {
        await using _server = await serve(exchange);
        listening.resolve();
        await aborted(signal);
      } catch (error) {
        listening.reject(error);
        throw error;
      }
    },
    ready: () => listening.promise,
  };
}
