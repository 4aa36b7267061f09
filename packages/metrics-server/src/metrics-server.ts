import type { Node, Pod } from '@coracle/api';
import {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  type Exchange,
  methodNotAllowed,
  notFound,
  pageNotFound,
  parseFieldSelector,
  parseLabelSelector,
  StatusError,
} from '@coracle/apimachinery';
import { openApiV2, openApiV3, openApiV3Index, resourceList } from './api-documents.js';
import {
  apiVersion,
  computeNodeMetrics,
  computePodMetrics,
  type NodeMetrics,
  type PodMetrics,
} from './compute-metrics.js';
import { metricsTable } from './metrics-table.js';
import { NodeSummaries, type NodeSummariesOptions } from './node-summaries.js';

export interface MetricsServerOptions extends NodeSummariesOptions {
  readonly nodes: () => readonly Node[];
  /** Of one namespace, or of all. */
  readonly pods: (namespace: string | undefined) => readonly Pod[];
}

export interface MetricsServer {
  readonly exchange: Exchange;
}

/**
 * Serves `metrics.k8s.io/v1beta1`. The client has been authenticated and authorized by the API server in front of it.
 */
export function createMetricsServer(options: MetricsServerOptions): MetricsServer {
  const work: Work = { options, summaries: new NodeSummaries(options) };
  return {
    exchange: async (request) => {
      try {
        return await serveMetrics(work, request);
      } catch (error) {
        if (error instanceof StatusError) return respond(request, error.status, error.status.code ?? 500);
        throw error;
      }
    },
  };
}

interface Work {
  readonly options: MetricsServerOptions;
  readonly summaries: NodeSummaries;
}

const root = `/apis/${apiVersion}`;
const documents: Readonly<Record<string, object>> = {
  [root]: resourceList,
  '/openapi/v2': openApiV2,
  '/openapi/v3': openApiV3Index,
  [`/openapi/v3${root}`]: openApiV3,
};

async function serveMetrics(work: Work, request: ApiRequest): Promise<ApiResponse> {
  const { method, path, query } = request;
  if (method !== 'GET') throw methodNotAllowed({ group: 'metrics.k8s.io', resource: '' }, method.toLowerCase());
  const document = documents[path];
  if (document) return respond(request, document);
  if (!path.startsWith(`${root}/`)) throw pageNotFound();
  const parts = path
    .slice(root.length + 1)
    .split('/')
    .map(decodeURIComponent);
  const namespace = parts[0] === 'namespaces' ? parts[1] : undefined;
  const [resource, name, ...rest] = namespace === undefined ? parts : parts.slice(2);
  const isServed = resource === 'pods' || (resource === 'nodes' && namespace === undefined);
  if (!isServed || rest.length > 0 || (resource === 'pods' && name !== undefined && namespace === undefined))
    throw pageNotFound();
  const selection: MetricsQuery = { query: new URLSearchParams(query), namespace, name };
  const items = resource === 'nodes' ? await nodeMetrics(work, selection) : await podMetrics(work, selection);
  return answer(request, { resource, name, namespace }, items);
}

interface MetricsQuery {
  readonly query: URLSearchParams;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

async function nodeMetrics({ options, summaries }: Work, selection: MetricsQuery): Promise<NodeMetrics[]> {
  const nodes = selected(options.nodes(), selection);
  const found = await summaries.of(nodes);
  return nodes.flatMap((node) => {
    const summary = found.get(node.metadata.name ?? '');
    return (summary && computeNodeMetrics(node, summary)) ?? [];
  });
}

async function podMetrics({ options, summaries }: Work, selection: MetricsQuery): Promise<PodMetrics[]> {
  const pods = selected(options.pods(selection.namespace), selection).filter(
    ({ status }) => status?.phase === 'Running',
  );
  const names = new Set(pods.map(({ spec }) => spec?.nodeName));
  const found = await summaries.of(options.nodes().filter(({ metadata }) => names.has(metadata.name)));
  const stats = new Map(
    [...found.values()].flatMap((summary) =>
      (summary.pods ?? []).map((one) => [`${one.podRef?.namespace}/${one.podRef?.name}`, one] as const),
    ),
  );
  return pods.flatMap((pod) => {
    const own = stats.get(`${pod.metadata.namespace}/${pod.metadata.name}`);
    return (own && computePodMetrics(pod, own)) ?? [];
  });
}

/** The objects that the selectors and the name of a request select, by name. */
function selected<T extends Node | Pod>(objects: readonly T[], { query, name }: MetricsQuery): readonly T[] {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
  return objects
    .filter(({ metadata }) => name === undefined || metadata.name === name)
    .filter(({ metadata }) => labels.matches(metadata.labels ?? {}))
    .filter(({ metadata }) =>
      fields.matches({ 'metadata.name': metadata.name ?? '', 'metadata.namespace': metadata.namespace ?? '' }),
    )
    .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function sortKey({ metadata }: Node | Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

interface Asked {
  readonly resource: 'nodes' | 'pods';
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

function answer(
  request: ApiRequest,
  { resource, name, namespace }: Asked,
  items: readonly (NodeMetrics | PodMetrics)[],
): ApiResponse {
  const kind = resource === 'nodes' ? 'NodeMetrics' : 'PodMetrics';
  const [first] = items;
  if (name !== undefined && !first) {
    const shown = namespace === undefined ? name : `${namespace}/${name}`;
    throw notFound({ group: 'metrics.k8s.io', resource: kind.toLowerCase() }, shown);
  }
  if (request.headers['accept']?.includes('as=Table')) return respond(request, metricsTable(items));
  if (name !== undefined) return respond(request, first);
  return respond(request, { kind: `${kind}List`, apiVersion, metadata: {}, items });
}

const encoder = new TextEncoder();

/** Clients in this process, such as the autoscaler, receive the value itself. */
function respond({ headers }: ApiRequest, value: unknown, status = 200): ApiResponse {
  if (headers[acceptsValues] !== undefined) return { status, headers: {}, body: { kind: 'value', value } };
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', chunks: [encoder.encode(JSON.stringify(value))] },
  };
}
