import type { Exchange } from '@coracle/apimachinery';
import type { Activity, Clock, Logger, Metrics, Millis, Random } from '@coracle/base';
import type { Client, LeaderElectionOptions } from '@coracle/client';
import type { CacheOptions } from './cache/cache-options.js';
import type { CachedClientOptions } from './cache/cached-client.js';
import type { ControllerSettings } from './controller.js';

/** Serves an exchange on some socket until disposed. The platform supplies it. */
export type Serve = (exchange: Exchange) => Promise<AsyncDisposable>;

/** Options of a manager, and its servers. */
export interface ManagerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Served at `/metrics` by default. */
  readonly metrics?: Metrics;
  /** Held while a request is reconciled, so that a cluster on a virtual clock knows when it is idle. */
  readonly activity?: Activity;
  /** Its name in events and in the user agent. */
  readonly name?: string;
  readonly cache?: CacheOptions;
  /** Resources that the manager's client reads from the server instead of the cache. */
  readonly uncached?: NonNullable<CachedClientOptions['uncached']>;
  /** The manager's client only makes dry runs, except for leases and events. */
  readonly dryRun?: boolean;
  /** Among several processes, only the one that holds this lease runs controllers. Without it, every one does. */
  readonly leaderElection?: Pick<
    LeaderElectionOptions,
    'lease' | 'identity' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs' | 'releaseOnStop'
  >;
  /** Timeout of the shutdown. 30 seconds by default. */
  readonly gracefulStopMs?: Millis;
  /** Defaults for every controller. */
  readonly controllers?: ControllerSettings;
  /** Servers of metrics, health and webhooks; not served if absent. */
  readonly serve?: { readonly metrics?: Serve; readonly health?: Serve; readonly webhooks?: Serve };
}
