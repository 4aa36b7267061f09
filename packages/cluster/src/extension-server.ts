import { type ConfigMap, refs } from '@coracle/api';
import { maxRequestBytes } from '@coracle/apimachinery';
import {
  type ApiServer,
  type Authorizer,
  createApiServer,
  privilegedGroup,
  type RequestHeaderOptions,
  requestHeader,
  type ServedCrd,
  union,
} from '@coracle/apiserver';
import {
  Activity,
  type Clock,
  DisposableStack,
  type Logger,
  noTracer,
  PrometheusMetrics,
  silentLogger,
} from '@coracle/base';
import { type Client, delegatedAuthorization } from '@coracle/client';
import { createSystemRandom, type KeyPair, startHttpServer, systemClock } from '@coracle/platform-nodejs';
import { openStore, type StoreChoice } from './open-store.js';
import { fingerprintsOf } from './request-header.js';

/** Options of an extension API server. */
export interface ExtensionServerOptions {
  /** The custom resources that are served. Their CRDs are not stored. */
  readonly crds: readonly ServedCrd[];
  /** Client of the cluster, for delegated authentication and authorization. */
  readonly client: Client;
  /** The server's certificate for the name of its service: `api.shop.svc`. */
  readonly certificate: KeyPair;
  /** All addresses of this machine unless stated. */
  readonly host?: string;
  /** A free one unless stated. */
  readonly port?: number;
  /** In memory unless stated. */
  readonly store?: StoreChoice;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** An API server of your own behind a cluster's. */
export interface ExtensionServer extends AsyncDisposable {
  readonly port: number;
  readonly server: ApiServer;
}

/**
 * Serves your own API groups over HTTPS, for an APIService, with everything that resources have (watches, patches,
 * server-side apply, tables, discovery, OpenAPI), in a separate store. The cluster's API server names the user of a
 * request; the cluster authorizes requests.
 */
export async function startExtensionServer(options: ExtensionServerOptions): Promise<ExtensionServer> {
  const parts = new DisposableStack();
  try {
    return await assemble(options, parts);
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

async function assemble(options: ExtensionServerOptions, parts: DisposableStack): Promise<ExtensionServer> {
  const { client, certificate, clock = systemClock, logger = silentLogger, host = '0.0.0.0', port = 0 } = options;
  const { proxies, clientCa } = await trustOf(client);
  const store = parts.use(await openStore(options.store ?? { kind: 'memory' }, { clock, activity: new Activity() }));
  const server = parts.use(
    await createApiServer({
      store,
      clock,
      logger,
      random: createSystemRandom(),
      metrics: new PrometheusMetrics(),
      tracer: noTracer,
      authenticators: () => [requestHeader(proxies)],
      authorizer: () => union([privilegedGroup, delegated(client, clock)]),
      admission: () => [],
      bootstraps: false,
      crds: options.crds,
    }),
  );
  const http = parts.use(
    await startHttpServer({
      exchange: server.exchange,
      host,
      port,
      tls: { ...certificate, clientCa },
      maxBodyBytes: maxRequestBytes,
      logger,
    }),
  );
  return { port: http.port, server, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
}

/** The front-proxy settings that the cluster's API server publishes for extension servers. */
async function trustOf(client: Client): Promise<{ readonly proxies: RequestHeaderOptions; readonly clientCa: string }> {
  const published = (await client
    .resource(refs.configMaps, 'kube-system')
    .get('extension-apiserver-authentication')) as ConfigMap;
  const data = published.data ?? {};
  const clientCa = data['requestheader-client-ca-file'];
  if (!clientCa) throw new Error('the cluster names no front proxy in kube-system/extension-apiserver-authentication');
  const list = (name: string) => JSON.parse(data[`requestheader-${name}`] ?? '[]') as string[];
  return {
    clientCa,
    proxies: {
      authorities: fingerprintsOf(clientCa),
      signClients: false,
      allowedNames: list('allowed-names'),
      usernameHeaders: list('username-headers'),
      uidHeaders: list('uid-headers'),
      groupHeaders: list('group-headers'),
      extraHeaderPrefixes: list('extra-headers-prefix'),
    },
  };
}

/** Authorizes by SubjectAccessReviews of the cluster. */
function delegated(client: Client, clock: Clock): Authorizer {
  const isAllowed = delegatedAuthorization({ client, clock });
  return {
    name: 'Delegated',
    authorize: async ({ user, verb, isResourceRequest, path, ...resource }) => {
      const { name, uid, groups, extra } = user;
      const { fieldSelector: _fields, ...attributes } = resource;
      const action = isResourceRequest
        ? { resourceAttributes: { verb, ...attributes } }
        : { nonResourceAttributes: { verb, path } };
      const accessRequest = { user: name, groups, ...(uid && { uid }), ...(extra && { extra }) };
      return (await isAllowed(accessRequest, action))
        ? { kind: 'allow', reason: '' }
        : { kind: 'no-opinion', reason: '' };
    },
  };
}
