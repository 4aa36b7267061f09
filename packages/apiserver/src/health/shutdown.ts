import { serviceUnavailable } from '@coracle/apimachinery';
import type { Filter } from '../handler-chain.js';
import type { RequestInfo } from '../request-info.js';
import type { HealthCheck } from './health-checks.js';

/**
 * Shutdown in two steps. From `begin` on the server is not ready, so that it gets no new clients, and still serves the
 * connected ones; from `refuse` on it serves only health checks and leases, and requests in flight are cancelled.
 * Leases, because a leader must still be able to release its lease.
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

  /** Aborts when all requests are rejected. */
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
