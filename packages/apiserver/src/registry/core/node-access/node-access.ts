import { type Node, type Pod, refs } from '@coracle/api';
import {
  type ApiResponse,
  badRequest,
  type Channel,
  notFound,
  type StatusError,
  serviceUnavailable,
} from '@coracle/apimachinery';
import { addressText, DialError } from '../../../outbound/dialer.js';
import { isTrue } from '../../../parse-request-info.js';
import type { SubresourceCall, SubresourceHandler, SubresourceTable } from '../../subresource.js';
import { chooseContainer } from './choose-container.js';
import { kubeletFailure } from './kubelet-failure.js';
import type { ForwardedRequest, NodeConnector } from './node-connector.js';
import { podLogQuery } from './pod-log-options.js';
import { parseProxyName, podTarget, serviceTarget } from './proxy-targets.js';
import { refusedCommand } from './refused-command.js';
import { rewriteLinks } from './rewrite-links.js';

const nothing: ApiResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body: { kind: 'empty' } };

/** Subresources that connect to nodes and pods. */
export function nodeAccess(connector: NodeConnector): SubresourceTable {
  return {
    '/pods/log': { handle: (call) => readLog(call, connector) },
    '/pods/exec': inContainer('exec', connector),
    '/pods/attach': inContainer('attach', connector),
    '/pods/portforward': { connect: (call, protocols) => forwardPorts(call, connector, protocols) },
    '/pods/proxy': { handle: withSlash(proxyToPod) },
    '/services/proxy': { handle: withSlash(proxyToService) },
    '/nodes/proxy': { connect: (call, protocols) => proxyToNode(call, connector, protocols) },
  };
}

type ProxyHandler = NonNullable<SubresourceHandler['handle']>;

/** Pages have relative links, so a browser that requests `…/proxy` is redirected to `…/proxy/`. */
function withSlash(handle: ProxyHandler): ProxyHandler {
  return async (call) => {
    const { method, path, query } = call.context.request;
    if (!path.endsWith('/proxy') || pathBelow(call) !== '/' || (method !== 'GET' && method !== 'HEAD'))
      return await handle(call);
    const location = `${path}/${query && `?${query}`}`;
    return { status: 301, headers: { location }, body: { kind: 'empty' } };
  };
}

/** Commands and ports of a kubelet are available through the proxy too. */
async function proxyToNode(
  call: Parameters<ProxyHandler>[0],
  connector: NodeConnector,
  protocols: readonly string[] | undefined,
): Promise<Channel | ApiResponse> {
  if (protocols) return await connector.connect(nodeNamed(call), forwarded(call), protocols);
  return await withSlash((plainCall) => connector.request(nodeNamed(plainCall), forwarded(plainCall)))(call);
}

async function proxyToPod(call: SubresourceCall<'objects' | 'outbound'>): Promise<ApiResponse> {
  const { parts, write } = call;
  const target = podTarget(parts.objects, write.namespace, write.name);
  const answer = await parts.outbound.dial(target, forwarded(call)).catch(unreachable);
  return rewriteLinks(answer, { prefix: prefixOf(call), host: addressText(target) });
}

async function proxyToService(call: SubresourceCall<'objects' | 'outbound' | 'random'>): Promise<ApiResponse> {
  const { parts, write } = call;
  const { namespace } = write;
  const { name = write.name, scheme = 'http' } = parseProxyName(write.name) ?? {};
  if (parts.outbound.isRegistered({ namespace, name }))
    return await parts.outbound.request({ kind: 'service', namespace, name, scheme, port: 0 }, forwarded(call));
  const target = serviceTarget(parts, namespace, write.name);
  const answer = await parts.outbound.dial(target, forwarded(call)).catch(unreachable);
  return rewriteLinks(answer, { prefix: prefixOf(call), host: addressText(target) });
}

function unreachable(error: unknown): never {
  if (error instanceof DialError) throw serviceUnavailable(`error trying to reach service: ${error.message}`);
  throw error;
}

/** A pod without a node has no logs yet. */
async function readLog(call: SubresourceCall<'objects' | 'features'>, connector: NodeConnector): Promise<ApiResponse> {
  const { query } = call.context;
  const pod = podOf(call);
  const container = chooseContainer(pod, query.get('container') ?? '');
  const logQuery = podLogQuery({
    podName: pod.metadata.name ?? '',
    query,
    splitsStreams: call.parts.features.isOn('PodLogsQuerySplitStreams'),
  });
  if (!pod.spec?.nodeName) return nothing;
  const path = `/containerLogs/${pathOf(pod)}/${encodeURIComponent(container)}`;
  const answer = await connector.request(nodeOf(call, pod), { ...plain(call), method: 'GET', path, query: logQuery });
  if (answer.status <= lastGoodStatus) return endingAnyway(answer);
  throw await kubeletFailure(answer, { resource: 'pods/log', name: pod.metadata.name ?? '' });
}

/** A log that breaks off, for instance with its node, ends like any other: so does upstream. */
function endingAnyway(answer: ApiResponse): ApiResponse {
  const { body } = answer;
  if (body.kind !== 'stream') return answer;
  const open: typeof body.stream.open = (sink) =>
    body.stream.open({
      write: (chunk) => sink.write(chunk),
      end: () => sink.end(),
      onDrain: (listener) => sink.onDrain(listener),
      onClose: (listener) => sink.onClose(listener),
    });
  return { ...answer, body: { kind: 'stream', stream: { open } } };
}

/** The server takes what a kubelet answers up to this for the log. */
const lastGoodStatus = 206;

function inContainer(verb: 'exec' | 'attach', connector: NodeConnector): SubresourceHandler {
  return {
    async connect(call, protocols) {
      const { query } = call.context;
      const pod = podOf(call);
      const container = chooseContainer(pod, query.get('container') ?? '');
      const path = `/${verb}/${pathOf(pod)}/${encodeURIComponent(container)}`;
      const request = { ...plain(call), method: 'POST', path, query: streamQuery(query) };
      const host = hostOf(call, pod);
      if (!protocols) throw upgradeRequired();
      const opened = await connector.connect(host, request, protocols);
      return 'status' in opened ? refusedCommand(opened, protocols) : opened;
    },
  };
}

/** Paths of the kubelet for the streaming subresources. */
function streamQuery(query: URLSearchParams): string {
  const parameters = new URLSearchParams();
  for (const [name, kubeletName] of [
    ['stdin', 'input'],
    ['stdout', 'output'],
    ['stderr', 'error'],
    ['tty', 'tty'],
  ] as const) {
    if (isTrue(query.get(name))) parameters.set(kubeletName, '1');
  }
  for (const command of query.getAll('command')) parameters.append('command', command);
  return parameters.toString();
}

async function forwardPorts(
  call: SubresourceCall<'objects'>,
  connector: NodeConnector,
  protocols: readonly string[] | undefined,
): Promise<Channel | ApiResponse> {
  const pod = podOf(call);
  const ports = new URLSearchParams(call.context.query.getAll('ports').map((port): [string, string] => ['port', port]));
  const request = { ...plain(call), method: 'POST', path: `/portForward/${pathOf(pod)}`, query: ports.toString() };
  const host = hostOf(call, pod);
  if (!protocols) throw upgradeRequired();
  return await connector.connect(host, request, protocols);
}

/** Checked last: a missing pod or container is reported first. */
function upgradeRequired(): StatusError {
  return badRequest('Upgrade request required');
}

function podOf({ parts, write }: SubresourceCall<'objects'>): Pod {
  const pod = parts.objects.get(refs.pods, write.namespace, write.name);
  if (!pod) throw notFound(refs.pods, write.name);
  return pod;
}

function hostOf(call: SubresourceCall<'objects'>, pod: Pod): Node {
  if (!pod.spec?.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  return nodeOf(call, pod);
}

function nodeOf({ parts }: SubresourceCall<'objects'>, { spec }: Pod): Node {
  const node = parts.objects.get(refs.nodes, '', spec?.nodeName ?? '');
  if (!node) throw notFound(refs.nodes, spec?.nodeName ?? '');
  return node;
}

function nodeNamed({ parts, write }: SubresourceCall<'objects'>): Node {
  const name = parseProxyName(write.name)?.name ?? write.name;
  const node = parts.objects.get(refs.nodes, '', name);
  if (!node) throw notFound(refs.nodes, name);
  return node;
}

function pathOf({ metadata }: Pod): string {
  return `${encodeURIComponent(metadata.namespace ?? '')}/${encodeURIComponent(metadata.name ?? '')}`;
}

function plain({ context }: SubresourceCall): Pick<ForwardedRequest, 'headers' | 'signal'> {
  return { headers: {}, signal: context.signal };
}

/**
 * Headers with which a proxy authenticates a user. They are removed, because a server behind this one cannot know
 * whether they were trusted here.
 */
const speaksForOthers = /^(?::|impersonate-|x-remote-(?:user|uid|group)$|x-remote-extra-)/;

/** Headers that are not forwarded: those of this connection, and `accept-encoding`, since this server may rewrite the page. */
const forwardedHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'host',
  'upgrade',
  'x-coracle-accepts-values',
]);

/** Number of path segments before the forwarded part: `/api/v1/nodes/NAME/proxy`, two more with a namespace. */
const ownSegments = { cluster: 6, namespaced: 8 } as const;

function pathBelow({ context, write }: SubresourceCall): string {
  const own = write.namespace === '' ? ownSegments.cluster : ownSegments.namespaced;
  return `/${afterSegments(context.request.path, own)}`;
}

/** The path after this many segments, as it was sent: an encoded slash ends a segment too. */
function afterSegments(path: string, count: number): string {
  const separators = [...path.matchAll(/\/|%2f/gi)];
  const last = separators[count - 1];
  return last ? path.slice(last.index + last[0].length) : '';
}

/** The path of the proxy subresource. */
function prefixOf(call: SubresourceCall): string {
  const { path } = call.context.request;
  return path.slice(0, path.length - pathBelow(call).length);
}

/** The request as the client sent it, relative to the path of the proxy subresource. */
function forwarded(call: SubresourceCall): ForwardedRequest {
  const { context } = call;
  const { method, query, headers, body } = context.request;
  const passed = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !forwardedHeaders.has(name) && !speaksForOthers.test(name)),
  );
  return { method, path: pathBelow(call), query, headers: passed, signal: context.signal, ...(body && { body }) };
}
