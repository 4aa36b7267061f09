import { type EndpointSlice, type Node, refs, type Service } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';
import { type Activity, type Clock, every, type Logger, type Metrics, type Millis, messageOf } from '@coracle/base';
import { type InformerFactory, SyncRunner } from '@coracle/client';
import type { Topology } from './choose-endpoints.js';
import { serviceOfSlice } from './endpoint.js';
import { FamilyRules } from './family-rules.js';
import type { Connections, HealthCheckPorts, PacketFilter, ServiceHealth, StaleConnections } from './packet-filter.js';
import { proxyMetrics } from './proxy-metrics.js';
import type { TableOptions } from './proxy-table.js';
import { serviceHealth } from './service-health.js';
import type { Family } from './service-port.js';

export interface ServiceProxyOptions extends TableOptions {
  readonly informers: InformerFactory;
  readonly nodeName: string;
  readonly families: readonly Family[];
  readonly filter: PacketFilter;
  readonly connections: Connections;
  readonly healthChecks?: HealthCheckPorts;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly activity: Activity;
  /** Interval of checks whether the tables still exist. */
  readonly syncPeriodMs?: Millis;
  /** The shortest time between two changes of the kernel; none unless stated. */
  readonly minSyncPeriodMs?: Millis;
}

const zoneLabel = 'topology.kubernetes.io/zone';
const byService = 'proxy-service';

/** Keeps the kernel's tables in sync with services and their endpoints. */
export class ServiceProxy implements AsyncDisposable {
  readonly #options: ServiceProxyOptions;
  readonly #rules: readonly FamilyRules[];
  readonly #metrics: ReturnType<typeof proxyMetrics>;
  readonly #dirty = new Set<ObjectKey>();
  readonly #health = new Map<ObjectKey, ServiceHealth>();
  /** Flows to end once the rules are written; they stay noted while writing fails. */
  #stale: readonly StaleConnections[] = [];
  readonly #ends: Disposable[] = [];
  readonly #runner: SyncRunner;
  #topology: Topology;
  /** The kernel's state is not known: the whole table has to be written. */
  #whole = true;
  #lastSynced: Millis | undefined;
  /** The first change that is not being written yet. */
  #changedSince: Millis | undefined;
  /** The first change that is being written. */
  #writingSince: Millis | undefined;

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
    this.#rules = options.families.map((family) => new FamilyRules(family, options));
    this.#metrics = proxyMetrics(options.metrics);
    this.#topology = { nodeName: options.nodeName, zone: '' };
    const { minSyncPeriodMs = 0 } = options;
    this.#runner = new SyncRunner({
      ...options,
      sync: () => this.#sync(),
      onError: (error) => this.#failed(error),
      backoff: { initialMs: 100, maxMs: 10_000 },
      minPeriodMs: minSyncPeriodMs,
    });
    this.#follow();
  }

  /** Resolves when the rules of all initial objects are in the kernel. */
  started(): Promise<void> {
    return this.#runner.started();
  }

  /** When the kernel was last in the desired state, and since when it is not. */
  get state(): { readonly lastSynced: Millis | undefined; readonly changedSince: Millis | undefined } {
    return { lastSynced: this.#lastSynced, changedSince: this.#writingSince ?? this.#changedSince };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) end[Symbol.dispose]();
    await this.#runner[Symbol.asyncDispose]();
    await this.#options.healthChecks?.serve([]);
  }

  #follow(): void {
    const { informers, nodeName, clock, syncPeriodMs = 30_000 } = this.#options;
    const slices = informers.for(refs.endpointSlices);
    slices.addIndex(byService, serviceOfSlice);
    this.#ends.push(
      informers.for(refs.services).addHandler(({ object }) => this.#touch(keyOf(object))),
      slices.addHandler((event) => {
        for (const key of serviceOfSlice(event.object)) this.#touch(key);
        if (event.type === 'updated') for (const key of serviceOfSlice(event.previous)) this.#touch(key);
      }),
      informers
        .for(refs.nodes, { fieldSelector: `metadata.name=${nodeName}` })
        .addHandler(({ object }) => this.#place(object)),
      every(clock, syncPeriodMs, () => void this.#checkTables()),
    );
  }

  #touch(key: ObjectKey): void {
    this.#dirty.add(key);
    this.#changedSince ??= this.#options.clock.now();
    this.#runner.wake();
  }

  /** Which endpoints are near depends on the zone. */
  #place({ metadata }: Node): void {
    const zone = metadata.labels?.[zoneLabel] ?? '';
    if (zone === this.#topology.zone) return;
    this.#topology = { ...this.#topology, zone };
    for (const service of this.#options.informers.for(refs.services).list()) this.#touch(keyOf(service));
  }

  async #sync(): Promise<void> {
    const { clock, filter, connections, healthChecks } = this.#options;
    const began = clock.now();
    const changedSince = this.#changedSince;
    this.#writingSince = changedSince;
    const whole = this.#whole;
    const keys = [...this.#dirty];
    this.#dirty.clear();
    this.#changedSince = undefined;
    this.#stale = [...this.#stale, ...keys.flatMap((key) => this.#tryUpdate(key))];
    try {
      const statements = await this.#takeStatements(whole);
      if (statements) await filter.apply(statements);
      this.#whole = false;
      if (this.#stale.length > 0) await connections.remove(this.#stale);
      this.#stale = [];
      await healthChecks?.serve([...this.#health.values()]);
    } catch (error) {
      this.#whole = true;
      this.#changedSince = changedSince ?? began;
      throw error;
    } finally {
      this.#writingSince = undefined;
    }
    this.#lastSynced = clock.now();
    this.#metrics.observe({
      seconds: (clock.now() - began) / 1000,
      changes: keys.length,
      whole,
      at: clock.now() / 1000,
    });
    if (changedSince !== undefined) this.#metrics.programmed((clock.now() - changedSince) / 1000);
  }

  #failed(error: unknown): void {
    this.#metrics.failures.add(1);
    this.#options.logger.error('failed to write service rules, retrying', {
      error: messageOf(error),
    });
  }

  #update(key: ObjectKey): StaleConnections[] {
    const { informers } = this.#options;
    const service = informers.for(refs.services).get(key);
    const slices = service ? informers.for(refs.endpointSlices).byIndex(byService, key) : [];
    this.#updateHealth(key, service, slices);
    return this.#rules.flatMap((rules) => rules.update({ key, service, slices }, this.#topology));
  }

  /** An invalid service must not prevent the others from being served. */
  #tryUpdate(key: ObjectKey): StaleConnections[] {
    try {
      return this.#update(key);
    } catch (error) {
      this.#options.logger.error('failed to compute the rules of a service', {
        service: key,
        error: messageOf(error),
      });
      return [];
    }
  }

  #updateHealth(key: ObjectKey, service: Service | undefined, slices: readonly EndpointSlice[]): void {
    const { families } = this.#options;
    const health = service && serviceHealth(service, slices, { topology: this.#topology, families });
    if (health) this.#health.set(key, health);
    else this.#health.delete(key);
  }

  async #takeStatements(whole: boolean): Promise<string> {
    const statements: string[] = [];
    for (const rules of this.#rules) {
      const isRead = rules.hasAffinity && (whole || rules.isChanged);
      const affinities = isRead ? await this.#options.filter.affinities(rules.family) : [];
      statements.push(whole ? rules.takeWhole(affinities) : rules.takeStatements(affinities));
    }
    return statements.join('');
  }

  async #checkTables(): Promise<void> {
    if (this.#runner.isRunning || this.#whole) return;
    const { filter, families, logger } = this.#options;
    const present = await Promise.all(families.map((family) => filter.hasTable(family))).catch(() => [false]);
    if (present.every(Boolean) || this.#runner.isRunning) return;
    logger.error('service rules are missing from the kernel, writing them again');
    this.#whole = true;
    this.#runner.wake();
  }
}
