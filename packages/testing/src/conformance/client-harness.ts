import type { Clock, Random, VirtualClock } from '@coracle/base';
import type { Client } from '@coracle/client';

/** How the suites of the client reach a cluster, and how time passes there. */
export interface ClientHarness extends AsyncDisposable {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Exists, and is not used elsewhere. */
  readonly namespace: string;
  /** Waits, in real or virtual time, until `check` holds. Fails at the timeout. */
  eventually(check: () => boolean | Promise<boolean>): Promise<void>;
  /** Waits for a promise while time advances. */
  passing<T>(promise: PromiseLike<T>): Promise<T>;
}

/** For one test. A remote cluster may be slow; one in this process needs a fraction of it. */
export const suiteTimeoutMs = 60_000;

/** Advances a clock that only the test controls. */
export function virtualTime(clock: Pick<VirtualClock, 'advance'>): Pick<ClientHarness, 'eventually' | 'passing'> {
  return {
    eventually: async (check) => {
      for (let seconds = 0; !(await check()); seconds++) {
        if (seconds > 60) throw new Error('the condition did not become true');
        await clock.advance(1_000);
      }
    },
    passing: async (promise) => {
      let settled = false;
      const done = () => void (settled = true);
      promise.then(done, done);
      for (let steps = 0; !settled && steps < 1_000; steps++) await clock.advance(100);
      return promise;
    },
  };
}
