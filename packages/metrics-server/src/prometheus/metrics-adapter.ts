import {
  type ApiRequest,
  type ApiResponse,
  type Exchange,
  methodNotAllowed,
  pageNotFound,
  StatusError,
} from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { AdapterRule } from './adapter-rules.js';
import type { AdapterWork, Catalog, MetricsAdapterOptions } from './adapter-work.js';
import { customMetrics } from './custom-metrics.js';
import { externalMetrics } from './external-metrics.js';
import { catalogOf } from './metric-catalog.js';
import { PrometheusClient } from './prometheus-client.js';

/** Series that are older do not count, as in prometheus-adapter. */
const seriesWithinMs: Millis = 600_000;
/** Time for which the list of series is cached. */
const maxAgeMs: Millis = 30_000;

/** Serves `custom.metrics.k8s.io` and `external.metrics.k8s.io` from Prometheus. Callers have been authorized. */
export function createMetricsAdapter(options: MetricsAdapterOptions): { readonly exchange: Exchange } {
  const prometheus = new PrometheusClient(options.source, options.clock);
  const work: AdapterWork = { ...options, prometheus };
  const custom = new KnownMetrics(work, options.rules.custom);
  const external = new KnownMetrics(work, options.rules.external);
  return {
    exchange: async (request) => {
      try {
        return json(await answer(work, { custom, external }, request));
      } catch (error) {
        if (error instanceof StatusError) return json(error.status, error.status.code ?? 500);
        throw error;
      }
    },
  };
}

async function answer(
  work: AdapterWork,
  { custom, external }: { readonly custom: KnownMetrics; readonly external: KnownMetrics },
  { method, path, query }: ApiRequest,
): Promise<object> {
  const [, apis, group = '', version = '', ...rest] = path.split('/').map(decodeURIComponent);
  if (method !== 'GET') throw methodNotAllowed({ group, resource: '' }, method.toLowerCase());
  const parameters = new URLSearchParams(query);
  const metricsQuery = { version, rest, parameters };
  if (apis === 'apis' && group === 'custom.metrics.k8s.io' && (version === 'v1beta1' || version === 'v1beta2'))
    return rest.length === 0
      ? resourceList(`${group}/${version}`, customResources(await custom.orLast()))
      : customMetrics(work, await custom.read(), metricsQuery);
  if (apis === 'apis' && group === 'external.metrics.k8s.io' && version === 'v1beta1')
    return rest.length === 0
      ? resourceList(`${group}/${version}`, externalResources(await external.orLast()))
      : externalMetrics(work, await external.read(), metricsQuery);
  throw pageNotFound();
}

/** The metrics that have series, cached for a while. */
class KnownMetrics {
  readonly #work: AdapterWork;
  readonly #rules: readonly AdapterRule[];
  #read: { readonly at: Millis; readonly catalog: Promise<Catalog> } | undefined;
  #last: Catalog = new Map();

  constructor(work: AdapterWork, rules: readonly AdapterRule[]) {
    this.#work = work;
    this.#rules = rules;
  }

  async read(): Promise<Catalog> {
    const now = this.#work.clock.now();
    if (!this.#read || now - this.#read.at >= maxAgeMs) this.#read = { at: now, catalog: this.#load() };
    const current = this.#read;
    try {
      this.#last = await current.catalog;
      return this.#last;
    } catch (error) {
      if (this.#read === current) this.#read = undefined;
      throw error;
    }
  }

  /**
   * For discovery, which must work while Prometheus is down: namespaces are not deleted while a group cannot be read.
   */
  async orLast(): Promise<Catalog> {
    try {
      return await this.read();
    } catch (error) {
      this.#work.logger.info('the series of Prometheus could not be listed', { error });
      return this.#last;
    }
  }

  /** Where two rules make a metric of the same name, the later one counts. */
  async #load(): Promise<Catalog> {
    const { prometheus, findResource } = this.#work;
    const all = await Promise.all(
      this.#rules.map(async (rule) =>
        catalogOf(rule, await prometheus.series(rule.seriesQuery, seriesWithinMs), findResource),
      ),
    );
    return new Map(all.flatMap((one) => [...one]));
  }
}

interface ListedResource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly kind: string;
}

function customResources(catalog: Catalog): ListedResource[] {
  return [...catalog.values()].flatMap(({ name, resources }) =>
    [...resources].map(([resource, { info }]) => ({
      name: `${resource}/${name}`,
      namespaced: info.namespaced,
      kind: 'MetricValueList',
    })),
  );
}

function externalResources(catalog: Catalog): ListedResource[] {
  return [...catalog.keys()].map((name) => ({ name, namespaced: true, kind: 'ExternalMetricValueList' }));
}

function resourceList(groupVersion: string, listed: readonly ListedResource[]): object {
  const resources = listed
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, namespaced, kind }) => ({ name, singularName: '', namespaced, kind, verbs: ['get'] }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function json(value: unknown, status = 200): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(JSON.stringify(value))] },
  };
}
