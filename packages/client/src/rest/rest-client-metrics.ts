import type { Exchange } from '@coracle/apimachinery';
import type { Clock, Counter, Histogram, Metrics } from '@coracle/base';
import { isStreaming } from './is-streaming.js';

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The metrics of every client of an API server, under their usual names. */
export class RestClientMetrics {
  readonly #clock: Clock;
  readonly #host: string;
  readonly #results: Counter;
  readonly #durations: Histogram;

  /** `host`: the server's address, with its port unless that is the default. */
  constructor({ metrics, clock, host }: { readonly metrics: Metrics; readonly clock: Clock; readonly host: string }) {
    this.#clock = clock;
    this.#host = host;
    this.#results = metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Number of HTTP requests, partitioned by status code, method, and host.',
      labels: ['code', 'method', 'host'],
    });
    this.#durations = metrics.histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Request latency in seconds. Broken down by verb, and host.',
      labels: ['verb', 'host'],
      buckets,
    });
  }

  /** Counts every attempt; one without a response has the code `<error>`. */
  counting(exchange: Exchange): Exchange {
    return async (request) => {
      let code = '<error>';
      try {
        const response = await exchange(request);
        code = String(response.status);
        return response;
      } finally {
        this.#results.add(1, { code, method: bounded(request.method), host: this.#host });
      }
    };
  }

  /** Measures requests including retries. Watches and followed logs are excluded. */
  timing(exchange: Exchange): Exchange {
    return async (request) => {
      if (isStreaming(request)) return await exchange(request);
      const startedAt = this.#clock.now();
      try {
        return await exchange(request);
      } finally {
        const seconds = (this.#clock.now() - startedAt) / 1000;
        this.#durations.observe(seconds, { verb: bounded(request.method), host: this.#host });
      }
    };
  }
}

/** Unknown methods share one series. */
function bounded(method: string): string {
  return methods.has(method) ? method : 'other';
}
