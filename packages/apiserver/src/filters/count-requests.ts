import { type ApiResponse, StatusError } from '@coracle/apimachinery';
import { type Clock, Deferred, type Logger, type MetricLabels, type Metrics, ownValue } from '@coracle/base';
import { durationBuckets } from '../duration-buckets.js';
import type { Filter, RequestContext } from '../handler-chain.js';
import { applyPatchType, mediaType } from '../negotiation/media-type.js';
import type { ResourceTable } from '../registry/resource-table.js';
import type { RequestInfo } from '../request-info.js';
import { isLongRunning } from './deadline.js';

const sizeBuckets: readonly number[] = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

const requestLabels = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component', 'code'];

/** The verbs in the labels of upstream's metrics. */
const verbNames: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  apply: 'APPLY',
  connect: 'CONNECT',
  // Verbs of non-resource requests.
  post: 'POST',
  put: 'PUT',
  head: 'GET',
};

/** Subresources whose requests are proxied. */
const connecting: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy']);

function verbOf({ info, request }: RequestContext): string {
  if (connecting.has(info.subresource)) return 'connect';
  const applies = info.verb === 'patch' && mediaType(request.headers['content-type']) === applyPatchType;
  return applies ? 'apply' : info.verb;
}

export interface CountedRequests {
  readonly filter: Filter;
  /** Resolves when no request is in flight, except long-running ones. */
  drained(): Promise<void>;
}

/** Counts requests in flight, for the metrics and for a graceful shutdown. */
export function countRequests(deps: {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly resources: ResourceTable;
  readonly logger: Logger;
}): CountedRequests {
  const { clock, metrics } = deps;
  const total = metrics.counter({
    name: 'apiserver_request_total',
    help: 'Requests by verb, resource and HTTP code.',
    labels: requestLabels,
  });
  const duration = metrics.histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time from request to response, without long-running ones.',
    labels: requestLabels.slice(0, -1),
    buckets: durationBuckets,
  });
  // Upstream excludes the time in webhooks and queues from this metric; here it equals the request duration.
  const slowness = metrics.histogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: 'Response latency in seconds, without webhooks and queues.',
    labels: requestLabels.filter((label) => label !== 'dry_run' && label !== 'code'),
    buckets: durationBuckets,
  });
  const sizes = metrics.histogram({
    name: 'apiserver_response_sizes',
    help: 'Size of responses to reads, in bytes.',
    labels: requestLabels.filter((label) => label !== 'dry_run' && label !== 'code'),
    buckets: sizeBuckets,
  });
  const inFlight = metrics.gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Requests under way now, by kind.',
    labels: ['request_kind'],
  });
  const labels = new RequestLabels(deps.resources);
  let underWay = 0;
  let whenDrained: Deferred<void> | undefined;
  const filter: Filter = (next) => async (context) => {
    const isLong = isLongRunning(context.info);
    const kind = isLong ? undefined : isMutating(context) ? mutating : readOnly;
    if (kind) {
      underWay++;
      inFlight.add(1, kind);
    }
    let code = 500;
    let response: ApiResponse | undefined;
    try {
      response = await next(context);
      code = response.status;
      if (response.body.kind === 'bytes' || response.body.kind === 'value') context.release();
      return response;
    } catch (error) {
      context.release();
      if (StatusError.is(error)) code = error.status.code;
      throw error;
    } finally {
      const { request, byCode } = labels.of(context);
      total.add(1, byCode(code));
      if (kind) {
        const seconds = (clock.now() - context.receivedAt) / 1000;
        duration.observe(seconds, request);
        if (seconds > slowSeconds) tellSlow(deps.logger, context, { seconds, code });
        slowness.observe(seconds, request);
        if (kind === readOnly && response?.body.kind === 'bytes') sizes.observe(bytesIn(response.body.chunks), request);
        inFlight.add(-1, kind);
        if (--underWay === 0) whenDrained?.resolve();
      }
    }
  };
  const drained = (): Promise<void> => {
    if (underWay === 0) return Promise.resolve();
    whenDrained ??= new Deferred();
    return whenDrained.promise;
  };
  return { filter, drained };
}

/** Requests that take longer are logged. */
const slowSeconds = 0.5;

function tellSlow(
  logger: Logger,
  { request, auditId }: RequestContext,
  { seconds, code }: { readonly seconds: number; readonly code: number },
): void {
  const { method, path, query, headers, peer } = request;
  const who = { userAgent: headers['user-agent'], client: peer?.address };
  logger.info('slow request', { method, path, query, code, seconds, auditId, ...who });
}

const mutating: MetricLabels = { request_kind: 'mutating' };
const readOnly: MetricLabels = { request_kind: 'readOnly' };

function bytesIn(chunks: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

function isMutating({ request }: RequestContext): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD';
}

interface KindOfRequest {
  readonly request: MetricLabels;
  byCode(code: number): MetricLabels;
}

/**
 * One object of labels for each kind of request. Each label is from a bounded set, whatever a client sends: known
 * verbs, served resources and their subresources. All others share one label.
 */
class RequestLabels {
  readonly #resources: ResourceTable;
  readonly #kinds = new Map<string, KindOfRequest>();

  constructor(resources: ResourceTable) {
    this.#resources = resources;
  }

  of(context: RequestContext): KindOfRequest {
    const { info, request } = context;
    const { group, version, resource, subresource } = info;
    const verb = ownValue(verbNames, verbOf(context)) ?? 'other';
    const isServed = info.isResourceRequest && this.#isServed(info);
    const scope = isServed ? scopeOf(info) : '';
    const dryRun = request.query.includes('dryRun=All') ? 'All' : '';
    const where = isServed ? `${group}/${version}/${resource}/${subresource}` : '';
    const key = `${verb} ${where} ${scope} ${dryRun}`;
    let kind = this.#kinds.get(key);
    if (!kind) {
      const labels = isServed ? { group, version, resource, subresource } : nowhere;
      kind = kindOfRequest({ verb, dry_run: dryRun, ...labels, scope, component: 'apiserver' });
      this.#kinds.set(key, kind);
    }
    return kind;
  }

  #isServed({ group, version, resource, subresource }: RequestInfo): boolean {
    const served = this.#resources.find(group, version, resource);
    if (!served) return false;
    return subresource === '' || served.info.subresources.some(({ name }) => name === subresource);
  }
}

const nowhere = { group: '', version: '', resource: '', subresource: '' };

/** A create is a request for one object, though its name is not in the path. */
function scopeOf({ name, verb, namespace }: RequestInfo): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

function kindOfRequest(request: MetricLabels): KindOfRequest {
  const labelsByCode = new Map<number, MetricLabels>();
  const byCode = (code: number): MetricLabels => {
    let labels = labelsByCode.get(code);
    if (!labels) {
      labels = { ...request, code: String(code) };
      labelsByCode.set(code, labels);
    }
    return labels;
  };
  return { request, byCode };
}
