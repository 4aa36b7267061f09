import { LabelSelector, parseQuantity, parseTime, type ResourceInfo } from '@coracle/apimachinery';
import { type Millis, messageOf } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { PodSample, SampledPods, SampledValue } from './metric-samples.js';

const defaultWindowMs: Millis = 60_000;

interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly value?: string;
}

interface PodMetrics {
  readonly metadata: { readonly name?: string };
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
}

type Selector = Parameters<typeof LabelSelector.fromObject>[0] | undefined;

/** Reads the three metrics APIs, of any server. */
export class MetricsClient {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Usage of a resource by pods; by one container if it is named. */
  async resource(query: {
    readonly namespace: string;
    readonly selector: string;
    readonly resource: string;
    readonly container: string | undefined;
  }): Promise<SampledPods> {
    const { namespace, selector, resource, container } = query;
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods${labelQuery({ labelSelector: selector })}`;
    const { items } = await this.#get<PodMetrics>(path, 'resource', 'get pods.metrics.k8s.io');
    if (items.length === 0) throw new Error('no metrics returned from resource metrics API');
    const samples = new Map<string, PodSample>();
    for (const item of items) {
      const used = usageOf(item, resource, container);
      if (used === undefined) continue;
      const windowMs = parseWindow(item.window);
      samples.set(item.metadata.name ?? '', { value: used, at: parseTime(item.timestamp ?? '') ?? 0, windowMs });
    }
    return { samples, at: parseTime(items[0]?.timestamp ?? '') ?? 0 };
  }

  /** A metric of each pod. */
  async pods(query: {
    readonly namespace: string;
    readonly selector: string;
    readonly name: string;
    readonly metricSelector: Selector;
  }): Promise<SampledPods> {
    const { namespace, selector, name, metricSelector } = query;
    const version = await this.#customVersion();
    const labels = labelQuery({ labelSelector: selector, metricLabelSelector: selectorText(metricSelector) });
    const path = `/apis/custom.metrics.k8s.io/${version}/namespaces/${namespace}/pods/%2A/${name}${labels}`;
    const { items } = await this.#get<MetricValue>(path, 'custom', `get pods.custom.metrics.k8s.io *`);
    if (items.length === 0) throw new Error('no metrics returned from custom metrics API');
    const samples = new Map(items.map((item) => [item.describedObject?.name ?? '', sampleOf(item)]));
    return { samples, at: parseTime(items[0]?.timestamp ?? '') ?? 0 };
  }

  /** A metric of one object. */
  async object(query: {
    readonly namespace: string;
    /** Finds the resource of the kind; fails if it is not served. */
    target(): Promise<ResourceInfo>;
    readonly objectName: string;
    readonly name: string;
    readonly metricSelector: Selector;
  }): Promise<SampledValue> {
    const { namespace, objectName, name, metricSelector } = query;
    const version = await this.#customVersion();
    const target = await query.target().catch((error: unknown) => {
      throw new Error(`unable to fetch metrics from custom metrics API: ${messageOf(error)}`);
    });
    const resource = target.group ? `${target.resource}.${target.group}` : target.resource;
    const place = target.resource === 'namespaces' && !target.group ? 'metrics' : `${resource}/${objectName}`;
    const labels = labelQuery({ metricLabelSelector: selectorText(metricSelector) });
    const path = `/apis/custom.metrics.k8s.io/${version}/namespaces/${namespace}/${place}/${name}${labels}`;
    const { items } = await this.#get<MetricValue>(
      path,
      'custom',
      `get ${resource}.custom.metrics.k8s.io ${objectName}`,
    );
    const [item] = items;
    if (!item) throw new Error('no metrics returned from custom metrics API');
    const { value, at } = sampleOf(item);
    return { value, at };
  }

  /** An external metric, summed over its series. */
  async external(query: {
    readonly namespace: string;
    readonly name: string;
    readonly metricSelector: Selector;
  }): Promise<SampledValue> {
    const { namespace, name, metricSelector } = query;
    const labels = labelQuery({ labelSelector: selectorText(metricSelector) });
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${name}${labels}`;
    const { items } = await this.#get<MetricValue>(path, 'external', `get ${name}.external.metrics.k8s.io`);
    if (items.length === 0) throw new Error('no metrics returned from external metrics API');
    const samples = items.map(sampleOf);
    return { value: samples.reduce((sum, { value }) => sum + value, 0), at: samples[0]?.at ?? 0 };
  }

  async #customVersion(): Promise<string> {
    const { status, body } = await this.#client.raw('GET', '/apis/custom.metrics.k8s.io');
    const served = status === 200 ? ((body as { versions?: { version: string }[] }).versions ?? []) : [];
    const version = ['v1beta2', 'v1beta1'].find((one) => served.some((each) => each.version === one));
    if (version) return version;
    throw new Error(
      'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
    );
  }

  async #get<T>(path: string, api: 'resource' | 'custom' | 'external', what: string): Promise<{ items: readonly T[] }> {
    const { status, body } = await this.#client.raw('GET', path);
    if (status === 200) return { items: (body as { items?: T[] }).items ?? [] };
    const answered = (body as { kind?: string; message?: string } | undefined) ?? {};
    const message =
      answered.kind === 'Status' && status !== 404 && answered.message
        ? answered.message
        : `the server could not find the requested resource (${what})`;
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${message}`);
  }
}

/** Of all containers, or of one. A pod without that container has no sample. */
function usageOf({ containers = [] }: PodMetrics, resource: string, container: string | undefined): number | undefined {
  const counted = container === undefined ? containers : containers.filter(({ name }) => name === container);
  const texts = counted.map(({ usage }) => usage?.[resource]);
  if (texts.length === 0 || texts.includes(undefined)) return undefined;
  return texts.reduce((sum, text) => sum + parseQuantity(text ?? '0').milliValue(), 0);
}

function sampleOf({ value = '0', timestamp = '', windowSeconds }: MetricValue): PodSample {
  const windowMs = windowSeconds === undefined ? defaultWindowMs : windowSeconds * 1000;
  return { value: parseQuantity(value).milliValue(), at: parseTime(timestamp) ?? 0, windowMs };
}

/** Go formats durations as `1m30.5s`. */
function parseWindow(text: string | undefined): Millis {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s)?$/.exec(text ?? '');
  if (!text || !match) return defaultWindowMs;
  const [, hours = 0, minutes = 0, seconds = 0] = match;
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

function selectorText(selector: Selector): string {
  return selector ? LabelSelector.fromObject(selector).toString() : '';
}

function labelQuery(parameters: Readonly<Record<string, string>>): string {
  const used = Object.entries(parameters).filter(([, value]) => value !== '');
  return used.length === 0 ? '' : `?${new URLSearchParams(used)}`;
}
