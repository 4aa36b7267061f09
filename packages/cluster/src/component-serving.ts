import { readFile } from 'node:fs/promises';
import type { FeatureGates } from '@coracle/apiserver';
import { DisposableStack, type Logger, type PrometheusMetrics } from '@coracle/base';
import { type Client, createClient } from '@coracle/client';
import { type Component, componentPages, delegatedAccess } from '@coracle/control-plane';
import {
  createAuthority,
  createHttpTransport,
  createProcessProfiler,
  createSystemRandom,
  issueCertificate,
  type KeyPair,
  loadConnection,
  readProcessStats,
  startHttpServer,
  systemClock,
  type TlsSettings,
} from '@coracle/platform-nodejs';
import { type PairFiles, readPair } from './certificate-signers.js';
import { type RequestHeaderFiles, readRequestHeader } from './request-header.js';
import { type NamedCertificateFiles, readNamed } from './serving-certificates.js';

/** Serving options of a component: health and metrics, and the authorized users. */
export interface ComponentServing {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Made for this machine, and for as long as the process runs, unless stated. */
  readonly certificate?: PairFiles;
  /** Certificates for other host names, by SNI. */
  readonly named?: readonly NamedCertificateFiles[];
  readonly tls?: TlsSettings;
  /** CA bundle that verifies client certificates; without it clients authenticate with tokens only. */
  readonly clientCaFile?: string;
  /** Authenticating proxies; none unless stated. */
  readonly requestHeader?: RequestHeaderFiles;
  /** Whose credentials review tokens; those of the component unless stated. */
  readonly authenticationKubeconfig?: string;
  /** Whose credentials review access; those of the component unless stated. */
  readonly authorizationKubeconfig?: string;
  /** Paths that need no authorization. */
  readonly alwaysAllowed: readonly string[];
  /** Whether profiles are served below `/debug/pprof`; they are unless stated. */
  readonly profiling?: boolean;
  /** Called with the port that it listens on. */
  readonly onListening?: (port: number) => void;
}

/** The served endpoints and their options. */
export interface ServedComponent {
  readonly component: string;
  readonly serving: ComponentServing;
  readonly config: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, string>> | undefined;
  readonly features: FeatureGates | undefined;
  /** That of the component. */
  readonly client: Client;
  readonly metrics: PrometheusMetrics;
  readonly logger: Logger;
}

/** Serves before it leads, too: a candidate serves its health, too. */
export async function serveComponent(component: Component, served: ServedComponent): Promise<AsyncDisposable> {
  const parts = new DisposableStack();
  try {
    return await assemble(component, served, parts);
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

async function assemble(component: Component, served: ServedComponent, parts: DisposableStack) {
  const { metrics, config, serving, features } = served;
  const { host, port, certificate, alwaysAllowed, clientCaFile, requestHeader, tls: settings, named = [] } = serving;
  const proxies = requestHeader && (await readRequestHeader(requestHeader, { clientCaFile }));
  const access = delegatedAccess({
    client: await reviewer(serving.authenticationKubeconfig, served, parts),
    authorizationClient: await reviewer(serving.authorizationKubeconfig, served, parts),
    clock: systemClock,
    alwaysAllowed,
    ...(proxies && { proxies: proxies.options }),
  });
  const pair = certificate ? await readPair(certificate) : await ownPair(served.component);
  const server = parts.use(
    await startHttpServer({
      exchange: componentPages({
        component,
        metrics,
        access,
        config,
        about: aboutItself(served),
        processStats: readProcessStats,
        ...(features && { features }),
        ...(serving.profiling !== false && { profiler: createProcessProfiler() }),
      }),
      host,
      port,
      tls: {
        ...pair,
        clientCa: await trusted(serving, pair),
        named: await Promise.all(named.map(readNamed)),
        ...(settings && { settings }),
      },
      logger: served.logger,
    }),
  );
  serving.onListening?.(server.port);
  return parts;
}

/** CAs of accepted client certificates: of clients, and of proxies. */
async function trusted({ clientCaFile, requestHeader }: ComponentServing, own: KeyPair): Promise<string> {
  const files = [clientCaFile, requestHeader?.clientCa].filter((file) => file !== undefined);
  if (files.length === 0) return own.certificate;
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

/** A client with the credentials of a kubeconfig, or that of the component. */
async function reviewer(
  kubeconfig: string | undefined,
  { client, component, logger, metrics }: ServedComponent,
  parts: DisposableStack,
): Promise<Client> {
  if (kubeconfig === undefined) return client;
  const connection = await loadConnection({ path: kubeconfig });
  const transport = parts.use(await createHttpTransport({ connection, logger, metrics, http2: true }));
  return createClient({ transport, userAgent: `coracle-${component}` });
}

function aboutItself({ component, flags = {} }: ServedComponent): Parameters<typeof componentPages>[0]['about'] {
  const startedAt = () => readProcessStats().startTimeSeconds * 1000;
  return { component: `kube-${component}`, clock: systemClock, random: createSystemRandom(), startedAt, flags };
}

const yearMs = 365 * 24 * 3_600_000;

/** A self-signed certificate, as a component makes one for itself. */
async function ownPair(name: string): Promise<KeyPair> {
  const now = systemClock.now();
  const validity = { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + yearMs) };
  const authority = await createAuthority(`${name}-ca`, validity);
  return issueCertificate(authority, {
    commonName: name,
    usage: 'server',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    ...validity,
  });
}
