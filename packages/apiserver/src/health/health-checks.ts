import type { ApiResponse } from '@coracle/apimachinery';
import { type Logger, type MetricLabels, PrometheusMetrics } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';

/** A health check. Throws, or rejects, when it fails. */
export interface HealthCheck {
  readonly name: string;
  check(): void | Promise<void>;
}

/** The results of the checks for `/metrics/slis`, which measures the availability of components by the second. */
export class HealthRecord {
  readonly #metrics = new PrometheusMetrics();
  readonly #last = this.#metrics.gauge({
    name: 'kubernetes_healthcheck',
    help: 'Result of the last run of a health check: 1 if it passed.',
    labels: ['name', 'type'],
  });
  readonly #total = this.#metrics.counter({
    name: 'kubernetes_healthchecks_total',
    help: 'Checks by their outcome.',
    labels: ['name', 'status', 'type'],
  });

  add(endpoint: string, name: string, passed: boolean): void {
    const labels: MetricLabels = { name, type: endpoint.slice(1) };
    this.#last.set(passed ? 1 : 0, labels);
    this.#total.add(1, { ...labels, status: passed ? 'success' : 'error' });
  }

  render(): string {
    return this.#metrics.render();
  }
}

/** One of `/healthz`, `/livez` and `/readyz`: a list of checks, run together or individually. */
export class HealthEndpoint {
  readonly #path: string;
  readonly #checks: () => readonly HealthCheck[];
  readonly #logger: Logger;
  readonly #record: HealthRecord;

  constructor(
    path: string,
    checks: () => readonly HealthCheck[],
    { logger, record }: { readonly logger: Logger; readonly record: HealthRecord },
  ) {
    this.#path = path;
    this.#checks = checks;
    this.#logger = logger;
    this.#record = record;
  }

  get checkNames(): readonly string[] {
    return this.#checks().map(({ name }) => name);
  }

  /** `rest` is the path after the endpoint: the name of a single check, which reports its reason, or empty. */
  async serve(context: RequestContext, rest: string): Promise<ApiResponse> {
    if (rest !== '') return await this.#serveOne(rest);
    const excluded = new Set(context.query.getAll('exclude'));
    const lines: string[] = [];
    const failed: string[] = [];
    for (const check of this.#checks()) {
      const { name } = check;
      if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok`);
      else if (!(await this.#problem(check))) lines.push(`[+]${name} ok`);
      else {
        failed.push(name);
        lines.push(`[-]${name} failed: reason withheld`);
      }
    }
    if (excluded.size > 0) {
      const names = [...excluded].map((name) => JSON.stringify(name)).join(', ');
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
    }
    const title = this.#path.slice(1);
    if (failed.length > 0) return text(500, `${lines.join('\n')}\n${title} check failed\n`);
    if (!context.query.has('verbose')) return text(200, 'ok');
    return text(200, `${lines.join('\n')}\n${title} check passed\n`);
  }

  async #serveOne(checkName: string): Promise<ApiResponse> {
    const found = this.#checks().find(({ name }) => name === checkName);
    if (!found) return text(404, '404 page not found\n');
    const problem = await this.#problem(found);
    return problem ? text(500, `internal server error: ${problem.message}\n`) : text(200, 'ok');
  }

  async #problem({ name, check }: HealthCheck): Promise<Error | undefined> {
    try {
      await check();
      this.#record.add(this.#path, name, true);
      return undefined;
    } catch (error) {
      this.#record.add(this.#path, name, false);
      this.#logger.info('a health check failed', { check: name, endpoint: this.#path, error });
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

function text(status: number, content: string): ApiResponse {
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, private',
    },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(content)] },
  };
}
