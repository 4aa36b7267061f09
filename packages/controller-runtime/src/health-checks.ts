import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';

/** Throws, with the reason, while something is not well. */
export type HealthCheck = (request: ApiRequest) => void | Promise<void>;

/** Checks under one path: `/healthz` runs all of them, `/healthz/NAME` one; `?verbose` lists each, `?exclude=` leaves out. */
export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>();

  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  async answer(request: ApiRequest, below: string): Promise<ApiResponse> {
    if (below !== '') return this.#answerOne(request, below);
    const query = new URLSearchParams(request.query);
    const excluded = new Set(query.getAll('exclude'));
    const results = await Promise.all(
      this.#all()
        .filter(([name]) => !excluded.has(name))
        .map(async ([name, check]) => ({ name, error: await failureOf(check, request) })),
    );
    const failed = results.some(({ error }) => error !== undefined);
    if (!failed && !query.has('verbose')) return text(200, 'ok');
    const lines = results.map(({ name, error }) =>
      error === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
    );
    return text(failed ? 500 : 200, `${lines.join('\n')}\nhealthz check ${failed ? 'failed' : 'passed'}\n`);
  }

  async #answerOne(request: ApiRequest, name: string): Promise<ApiResponse> {
    const found = this.#all().find(([checkName]) => checkName === name);
    if (!found) return text(404, '404 page not found\n');
    const error = await failureOf(found[1], request);
    return error === undefined ? text(200, 'ok') : text(500, `internal server error: ${error}\n`);
  }

  /** Without checks, a response means healthy. */
  #all(): readonly (readonly [string, HealthCheck])[] {
    return this.#checks.size > 0 ? [...this.#checks] : [['ping', () => {}]];
  }
}

async function failureOf(check: HealthCheck, request: ApiRequest): Promise<string | undefined> {
  try {
    await check(request);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const encoder = new TextEncoder();

export function text(status: number, body: string, contentType = 'text/plain; charset=utf-8'): ApiResponse {
  const headers = { 'content-type': contentType, 'x-content-type-options': 'nosniff' };
  return { status, headers, body: { kind: 'bytes', chunks: [encoder.encode(body)] } };
}
