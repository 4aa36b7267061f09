import { readFile } from 'node:fs/promises';
import { signLegacyToken } from '@coracle/apiserver';
import { Activity, DisposableStack, type Logger, noTracer, PrometheusMetrics } from '@coracle/base';
import { type Client, type Connection, createClient } from '@coracle/client';
import {
  type ComponentOptions as AnyComponentOptions,
  type Component,
  type ControllerManagerSettings,
  componentPages,
  type DebugRequests,
  delegatedAccess,
  runControllerManager,
  runScheduler,
  serviceAccountTransport,
  userAgentOf,
} from '@coracle/control-plane';
import {
  createAuthority,
  createHttpTransport,
  createSystemRandom,
  issueCertificate,
  type KeyPair,
  loadConnection,
  readProcessStats,
  startHttpServer,
  systemClock,
} from '@coracle/platform-nodejs';
import { type PairFiles, readPair, reloadedSigner, reloadedSigners, type SignerFiles } from './certificate-signers.js';
import { openExtenderTransport } from './extender-transport.js';
import { loadSchedulerPlugins, readSchedulerConfiguration, type SchedulerFile } from './scheduler-settings.js';
import { tokenKeys } from './signing-keys.js';

/** What is read from files. */
type Authorities = 'caCertificate' | 'certificateSigner' | 'certificateSigners' | 'signToken';

/** Which component runs, and with which cluster. */
export interface ComponentOptions {
  readonly component: 'controller-manager' | 'scheduler';
  /** Otherwise as kubectl finds it, or that of the pod it runs in. */
  readonly kubeconfig?: string;
  /** The server's address, if not that of the kubeconfig. */
  readonly master?: string;
  /** With one, it works only while it holds the lease. */
  readonly leaderElection?: NonNullable<AnyComponentOptions['leaderElection']>;
  /** Where it shows its health and metrics; nowhere unless stated. */
  readonly serving?: ComponentServing;
  /** For `/configz`: what it was started with. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** For `/flagz`: the same by the names of the flags. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly rootCaFile?: string;
  /** The authority that signs certificate requests. */
  readonly signing?: PairFiles;
  /** The authorities of single signers, instead of one for all of them. */
  readonly signerFiles?: SignerFiles;
  /** Signs the tokens that secrets hold; the API server must know its public half. */
  readonly tokenKeyFile?: string;
  /** Each controller acts as its own service account, instead of all as the user that the kubeconfig says. */
  readonly useServiceAccounts?: boolean;
  readonly controllers?: Omit<ControllerManagerSettings, Authorities>;
  /** What a scheduler takes of it is how pods are scheduled; the defaults unless stated. */
  readonly schedulerConfiguration?: SchedulerFile;
  /** Modules with plugins of one's own. */
  readonly schedulerPlugins?: readonly string[];
  /** Access to the debug endpoints of the scheduler. */
  readonly debugRequests?: DebugRequests;
  readonly logger: Logger;
}

/** Where and to whom a component shows its health and metrics. */
export interface ComponentServing {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Made for this machine, and for as long as the process runs, unless stated. */
  readonly certificate?: PairFiles;
  /** CA bundle that verifies client certificates; without it clients authenticate with tokens alone. */
  readonly clientCaFile?: string;
  /** Paths that need no authorization. */
  readonly alwaysAllowed: readonly string[];
  /** Called with the port that it listens on. */
  readonly onListening?: (port: number) => void;
}

/** Runs one component against an API server somewhere. It acts as the user that the kubeconfig says. */
export async function runComponent(options: ComponentOptions): Promise<AsyncDisposable> {
  const { leaderElection, logger, component } = options;
  const parts = new DisposableStack();
  try {
    const connection = await connectionTo(options);
    const transport = parts.use(await createHttpTransport({ connection, logger, http2: true }));
    const client = createClient({ transport, userAgent: `coracle-${component}` });
    const metrics = new PrometheusMetrics();
    const shared = {
      clientFor: await clients(client, connection, { options, parts }),
      clock: systemClock,
      random: createSystemRandom(),
      logger,
      metrics,
      tracer: noTracer,
      activity: new Activity(),
      ...(leaderElection && { leaderElection }),
    };
    const scheduler = options.schedulerConfiguration ?? (await readSchedulerConfiguration(undefined));
    const extraPlugins = await loadSchedulerPlugins(options.schedulerPlugins ?? []);
    const debugging = options.debugRequests && { debugRequests: options.debugRequests };
    const { transport: extenderTransport } = parts.use(openExtenderTransport());
    const running = parts.use(
      component === 'scheduler'
        ? runScheduler({ ...shared, configuration: scheduler, extraPlugins, extenderTransport, ...debugging })
        : runControllerManager({ ...shared, ...options.controllers, ...(await authorities(options, parts)) }),
    );
    const shown = { ...options, config: options.config ?? { componentconfig: scheduler } };
    if (options.serving) parts.use(await serve(running, { options: shown, serving: options.serving, client, metrics }));
    return parts;
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

async function connectionTo({ kubeconfig, master }: ComponentOptions): Promise<Connection> {
  const connection = await loadConnection(kubeconfig ? { path: kubeconfig } : {});
  return master ? { ...connection, server: master } : connection;
}

const accountPrefix = 'system:serviceaccount:kube-system:';

/** The server knows us by our credentials, not by what we say: without accounts of their own, all are one. */
async function clients(
  client: Client,
  connection: Connection,
  { options, parts }: { readonly options: ComponentOptions; readonly parts: DisposableStack },
): Promise<(user: string) => Client> {
  const named = (user: string) => client.withUserAgent(userAgentOf(user));
  if (!options.useServiceAccounts) return named;
  const { logger } = options;
  const transport = parts.use(
    await createHttpTransport({ connection: { ...connection, credentials: {} }, logger, http2: true }),
  );
  return (user) => {
    if (!user.startsWith(accountPrefix)) return named(user);
    const name = user.slice(accountPrefix.length);
    const account = { namespace: 'kube-system', name };
    const own = serviceAccountTransport({ transport, client, clock: systemClock, account });
    return createClient({ transport: own, userAgent: userAgentOf(user) });
  };
}

async function authorities(
  { rootCaFile, signing, signerFiles, tokenKeyFile, logger }: ComponentOptions,
  parts: DisposableStack,
): Promise<Pick<ControllerManagerSettings, Authorities>> {
  return {
    caCertificate: rootCaFile ? await readFile(rootCaFile, 'utf8') : '',
    certificateSigner: signing && (await reloadedSigner(signing, { logger, parts })),
    certificateSigners: signerFiles && (await reloadedSigners(signerFiles, { logger, parts })),
    signToken: tokenKeyFile ? await tokenSigner(tokenKeyFile) : undefined,
  };
}

async function tokenSigner(file: string): Promise<NonNullable<ControllerManagerSettings['signToken']>> {
  const { signingKeys } = await tokenKeys({ signing: await readFile(file, 'utf8') }, undefined);
  const { privateKey: key, id: keyId, algorithm } = signingKeys;
  return (token) => signLegacyToken(token, { key, keyId, algorithm });
}

interface Served {
  readonly options: ComponentOptions;
  readonly serving: ComponentServing;
  readonly client: Client;
  readonly metrics: PrometheusMetrics;
}

/** Serves before it leads, too: a candidate serves its health, too. */
async function serve(component: Component, { options, serving, client, metrics }: Served): Promise<AsyncDisposable> {
  const { host, port, certificate, clientCaFile, alwaysAllowed, onListening } = serving;
  const access = delegatedAccess({ client, clock: systemClock, alwaysAllowed });
  const pair = certificate ? await readPair(certificate) : await ownPair(options.component);
  const server = await startHttpServer({
    exchange: componentPages({ component, metrics, access, config: options.config ?? {}, about: aboutItself(options) }),
    host,
    port,
    tls: { ...pair, clientCa: clientCaFile ? await readFile(clientCaFile, 'utf8') : pair.certificate },
    logger: options.logger,
  });
  onListening?.(server.port);
  return server;
}

function aboutItself({ component, flags = {} }: ComponentOptions): Parameters<typeof componentPages>[0]['about'] {
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
