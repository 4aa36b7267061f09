import type { Exchange } from '@coracle/apimachinery';
import type { Activity, Clock, Logger, Metrics, Millis, Random } from '@coracle/base';
import type { Client, LeaderElectionOptions } from '@coracle/client';
import type { CacheOptions } from './cache/cache-options.js';
import type { CachedClientOptions } from './cache/cached-client.js';
import type { ControllerSettings } from './controller.js';

/** Serves an exchange on some socket until disposed. The platform supplies it. */
export type Serve = (exchange: Exchange) => Promise<AsyncDisposable>;

/** What a manager is made of, and where it serves. */
export interface ManagerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Served at `/metrics` by default. */
  readonly metrics?: Metrics;
  /** Held while a request is reconciled, so that a cluster on a virtual clock knows when it is idle. */
  readonly activity?: Activity;
  /** How it is called in events and towards the server. */
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
  /** How long what runs may take to end. 30 seconds unless stated. */
  readonly gracefulStopMs?: Millis;
  /** Defaults for every controller. */
  readonly controllers?: ControllerSettings;
  /** Where metrics, health and webhooks are served; nowhere unless stated. */
  readonly serve?: { readonly metrics?: Serve; readonly health?: Serve; readonly webhooks?: Serve };
}
