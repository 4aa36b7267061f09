import { serviceUnavailable } from '@coracle/apimachinery';
import type { Filter } from '../handler-chain.js';
import type { RequestInfo } from '../request-info.js';
import type { HealthCheck } from './health-checks.js';

/**
 * The end of a server, in two steps. From `begin` on it says that it is not ready, so that nobody new is sent to it,
 * and still serves those who are there; from `refuse` on it serves nothing but its health and leases, and what it is at
 * is cut short. Leases, because a client that has been cut off must still be able to say that somebody else may go on.
 */
export class Shutdown {
  #begun = false;
  readonly #aborter = new AbortController();

  begin(): void {
    this.#begun = true;
  }

  refuse(): void {
    this.#begun = true;
    this.#aborter.abort(serviceUnavailable('the server is shutting down'));
  }

  /** Aborts when nothing is served any more. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  readonly check: HealthCheck = {
    name: 'shutdown',
    check: () => {
      if (this.#begun) throw new Error('process is shutting down');
    },
  };

  readonly filter: Filter = (next) => (context) => {
    if (this.signal.aborted && !isLastWord(context.info)) throw this.signal.reason;
    return next(context);
  };
}

function isLastWord({ group, resource, name, path }: RequestInfo): boolean {
  if (group === 'coordination.k8s.io' && resource === 'leases') return name !== '';
  return /^\/(?:healthz|livez|readyz)(?:\/|$)/.test(path);
}
