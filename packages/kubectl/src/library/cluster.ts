import { type ResourceFilter, type ServedResource, servedResources } from '../commands/api-resources.js';
import { approval } from '../commands/certificate/approve.js';
import { decideOne } from '../commands/certificate/decide.js';
import { denial } from '../commands/certificate/deny.js';
import { clusterServices } from '../commands/cluster-info/cluster-info.js';
import { type DumpPart, dumpParts } from '../commands/cluster-info/dump.js';
import { type EventQuery, eventsAfter, listEvents } from '../commands/events.js';
import { proxyHandler } from '../commands/proxy.js';
import type { LocalHttpRequest, LocalHttpResponse } from '../host.js';
import { type Fields, textAt } from '../values.js';
import { clientVersion, kustomizeVersion } from '../version.js';
import { contextOf } from './command-context.js';
import type { Session } from './session.js';
import { infoOf } from './targets.js';

export type { DumpPart, ResourceFilter, ServedResource };

export interface Versions {
  readonly client: string;
  readonly kustomize: string;
  /** As the server reports it. */
  readonly server: Fields;
}

export async function version(session: Session): Promise<Versions> {
  const server = await (await session.helper()).send('GET', '/version');
  return { client: clientVersion.gitVersion, kustomize: kustomizeVersion, server };
}

/** The resources of the server, each in the version that it prefers. */
export async function apiResources(session: Session, filter: ResourceFilter = {}): Promise<ServedResource[]> {
  return servedResources(await session.context.factory.discovery(), filter);
}

/** `v1`, `apps/v1` and so on, sorted. */
export async function apiVersions(session: Session): Promise<string[]> {
  const { groups } = await (await session.context.factory.discovery()).resources();
  return groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion)).sort();
}

/** The services that belong to the cluster itself, with their paths below the address of the API server. */
export async function clusterInfo(
  session: Session,
  namespace = 'kube-system',
): Promise<{ readonly name: string; readonly path: string }[]> {
  return clusterServices(await session.context.factory.client(), namespace);
}

/** Nodes, and of each namespace its objects and the logs of its pods. */
export async function* dumpCluster(
  session: Session,
  namespaces: readonly string[] = ['kube-system', session.namespace],
): AsyncGenerator<DumpPart> {
  yield* dumpParts(await session.context.factory.client(), namespaces);
}

export interface EventOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  /** `deploy/web`: the object of the events. */
  readonly about?: string;
  readonly types?: readonly ('Normal' | 'Warning')[];
}

/** Events, the oldest first. */
export async function events(session: Session, options: EventOptions = {}): Promise<Fields[]> {
  return (await listEvents(session.context.factory, queryOf(session, options))).events;
}

/** Events, the oldest first, and then those that come, until the session's signal aborts. */
export async function* followEvents(session: Session, options: EventOptions = {}): AsyncGenerator<Fields> {
  const { factory } = session.context;
  const query = queryOf(session, options);
  const { events: before, list } = await listEvents(factory, query);
  yield* before;
  yield* eventsAfter(factory, query, textAt(list, 'metadata', 'resourceVersion'));
}

function queryOf(session: Session, { namespace, allNamespaces, about, types }: EventOptions): EventQuery {
  return {
    namespace: allNamespaces ? '' : (namespace ?? session.namespace),
    about: about ?? '',
    types: types ?? [],
    chunkSize: 500,
  };
}

/** Approves a certificate signing request. */
export function approveCertificate(session: Session, name: string): Promise<Fields> {
  return decide(session, name, approval);
}

/** Denies a certificate signing request. */
export function denyCertificate(session: Session, name: string): Promise<Fields> {
  return decide(session, name, denial);
}

async function decide(session: Session, name: string, decision: typeof approval): Promise<Fields> {
  const info = await infoOf(session, `csr/${name}`);
  await decideOne(await session.context.factory.client(), info, { ...decision, force: false });
  return (await session.helper()).get(info);
}

export interface ProxyOptions {
  /** Regular expressions of Go with commas between them; what `kubectl proxy` lets through by default. */
  readonly acceptPaths?: string;
  readonly rejectPaths?: string;
  readonly acceptHosts?: string;
  readonly rejectMethods?: string;
  readonly apiPrefix?: string;
}

/** What `kubectl proxy` answers requests with, for a server of your own. */
export async function proxy(
  session: Session,
  options: ProxyOptions = {},
): Promise<(request: LocalHttpRequest) => Promise<LocalHttpResponse>> {
  const flags = {
    'accept-paths': options.acceptPaths,
    'reject-paths': options.rejectPaths,
    'accept-hosts': options.acceptHosts,
    'reject-methods': options.rejectMethods,
    'api-prefix': options.apiPrefix,
  };
  return proxyHandler(await contextOf(session, { command: 'proxy', flags }));
}
