import { type Clock, type Millis, sleep } from '@coracle/base';
import type { Store } from '@coracle/store';
import type { ResourceTable } from '../registry/resource-table.js';
import type { ChangeFeed } from '../watching/change-feed.js';
import type { HealthCheck } from './health-checks.js';
import type { PostStartHooks } from './post-start-hooks.js';
import type { Shutdown } from './shutdown.js';

export interface OwnChecks {
  readonly live: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
}

export interface CheckedParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly feeds: readonly Pick<ChangeFeed, 'isOpen'>[];
  readonly resources: ResourceTable;
  readonly shutdown: Pick<Shutdown, 'check'>;
  readonly hooks: Pick<PostStartHooks, 'checks'>;
  readonly checkLog?: (() => void) | undefined;
  readonly more?: readonly HealthCheck[] | undefined;
}

/** Timeout of the store check. */
const longestAnswerMs: Millis = 2_000;

/** The health checks of the server, by their names in kube-apiserver. */
export function ownChecks(parts: CheckedParts): OwnChecks {
  const store = () => checkStore(parts.store, parts.clock);
  const basic: HealthCheck[] = [
    { name: 'ping', check: () => {} },
    { name: 'log', check: () => parts.checkLog?.() },
    { name: 'etcd', check: store },
  ];
  const toServe: HealthCheck[] = [
    { name: 'etcd-readiness', check: store },
    { name: 'informer-sync', check: () => checkCaches(parts) },
  ];
  const more = parts.more ?? [];
  return {
    get live() {
      return [...basic, ...parts.hooks.checks, ...more];
    },
    get ready() {
      return [...basic, ...toServe, ...parts.hooks.checks, ...more, parts.shutdown.check];
    },
  };
}

/** Fails if the store does not respond in time. */
export async function checkStore(store: Pick<Store, 'currentRevision'>, clock: Clock): Promise<void> {
  const answered = new AbortController();
  const late = sleep(clock, longestAnswerMs, answered.signal).then(
    () => Promise.reject(new Error(`the store has not responded for ${longestAnswerMs / 1000} seconds`)),
    () => undefined,
  );
  try {
    await Promise.race([store.currentRevision(), late]);
  } finally {
    answered.abort();
  }
}

/** Reads are answered from caches that follow the store: they must not have lost it. */
function checkCaches({ feeds, resources }: CheckedParts): void {
  if (!feeds.every(({ isOpen }) => isOpen)) throw new Error('the watch on the store is broken');
  const loading = resources.allStored().filter(({ storage }) => storage.cache.loading !== undefined);
  if (loading.length === 0) return;
  throw new Error(`these caches are not filled: ${loading.map(({ resource }) => resource).join(', ')}`);
}
