import { serviceUnavailable } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';

/** GET of a path below Prometheus' URL; returns the parsed JSON for any HTTP status. */
export type PrometheusSource = (path: string, parameters: URLSearchParams) => Promise<unknown>;

export type SeriesLabels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: SeriesLabels;
  readonly value: number;
}

interface Answer {
  readonly status?: string;
  readonly error?: string;
  readonly data?: unknown;
}

/** The part of Prometheus' HTTP API that metrics are read with. */
export class PrometheusClient {
  readonly #source: PrometheusSource;
  readonly #clock: Clock;

  constructor(source: PrometheusSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Series that had a sample in the time before now. */
  async series(match: string, withinMs: Millis): Promise<readonly SeriesLabels[]> {
    const start = this.#seconds(this.#clock.now() - withinMs);
    return (await this.#get('/api/v1/series', { 'match[]': match, start })) as readonly SeriesLabels[];
  }

  /** The current result of a query: a vector, or a scalar, which is a sample without labels. */
  async query(query: string): Promise<readonly Sample[]> {
    const data = (await this.#get('/api/v1/query', { query, time: this.#seconds(this.#clock.now()) })) as {
      readonly resultType?: string;
      readonly result?: unknown;
    };
    if (data.resultType === 'scalar') return [{ labels: {}, value: numberIn(data.result) }];
    if (data.resultType !== 'vector') throw serviceUnavailable(`the query ${query} gives a ${data.resultType}`);
    const vector = data.result as readonly { readonly metric?: SeriesLabels; readonly value?: unknown }[];
    return vector.map(({ metric = {}, value }) => ({ labels: metric, value: numberIn(value) }));
  }

  async #get(path: string, parameters: Record<string, string>): Promise<unknown> {
    let answer: Answer;
    try {
      answer = (await this.#source(path, new URLSearchParams(parameters))) as Answer;
    } catch (error) {
      throw serviceUnavailable(`Prometheus cannot be asked: ${error instanceof Error ? error.message : error}`);
    }
    if (answer?.status === 'success') return answer.data;
    throw serviceUnavailable(`Prometheus refuses ${path}: ${answer?.error ?? 'its answer cannot be read'}`);
  }

  #seconds(time: Millis): string {
    return String(time / 1000);
  }
}

/** `[1700000000.1, "0.5"]` */
function numberIn(pair: unknown): number {
  return Array.isArray(pair) ? Number(pair[1]) : Number.NaN;
}
