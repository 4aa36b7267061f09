import { readFile } from 'node:fs/promises';
import { type FeatureGates, signLegacyToken } from '@coracle/apiserver';
import { Activity, DisposableStack, type Logger, noTracer, PrometheusMetrics } from '@coracle/base';
import { type Client, type Connection, createClient, type Transport } from '@coracle/client';
import {
  type ComponentOptions as AnyComponentOptions,
  type ControllerManagerSettings,
  type DebugRequests,
  runControllerManager,
  runScheduler,
  serviceAccountTransport,
  userAgentOf,
} from '@coracle/control-plane';
import { createHttpTransport, createSystemRandom, loadConnection, systemClock } from '@coracle/platform-nodejs';
import { type PairFiles, reloadedSigner, reloadedSigners, type SignerFiles } from './certificate-signers.js';
import { type ComponentServing, serveComponent } from './component-serving.js';
import { openExtenderTransport } from './extender-transport.js';
import { loadSchedulerPlugins, readSchedulerConfiguration, type SchedulerFile } from './scheduler-settings.js';
import { tokenKeys } from './signing-keys.js';

/** Options from files. */
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
  /** Serving options of health and metrics; not served if absent. */
  readonly serving?: ComponentServing;
  /** For `/configz`: command-line settings. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** For `/flagz`: the same by the names of the flags. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly rootCaFile?: string;
  /** The authority that signs certificate requests. */
  readonly signing?: PairFiles;
  /** The authorities of single signers, instead of one for all of them. */
  readonly signerFiles?: SignerFiles;
  /** Signs the tokens in secrets; the API server must have its public key. */
  readonly tokenKeyFile?: string;
  /** Each controller acts as its own service account, instead of all as the user that the kubeconfig says. */
  readonly useServiceAccounts?: boolean;
  readonly controllers?: Omit<ControllerManagerSettings, Authorities>;
  /** Scheduler configuration; the defaults if absent. */
  readonly schedulerConfiguration?: SchedulerFile;
  /** Modules with plugins of one's own. */
  readonly schedulerPlugins?: readonly string[];
  /** For `/metrics`: which feature gates are on. */
  readonly features?: FeatureGates;
  /** Access to the debug endpoints of the scheduler. */
  readonly debugRequests?: DebugRequests;
  readonly logger: Logger;
}

/** Runs one component against an API server somewhere. It acts as the user that the kubeconfig says. */
export async function runComponent(options: ComponentOptions): Promise<AsyncDisposable> {
  const { leaderElection, logger, component } = options;
  const parts = new DisposableStack();
  try {
    const connection = await connectionTo(options);
    const metrics = new PrometheusMetrics();
    const transport = parts.use(await createHttpTransport({ connection, logger, metrics, http2: true }));
    const client = createClient({ transport, userAgent: `coracle-${component}` });
    const shared = {
      clientFor: await clients(client, connection, { options, metrics, parts, ownTransport: transport }),
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
    const { flags, features } = options;
    const shown = { component, flags, features, config: options.config ?? { componentconfig: scheduler } };
    if (options.serving) {
      const served = { ...shown, serving: options.serving, logger, client, metrics };
      parts.use(await serveComponent(running, served));
    }
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

interface ClientParts {
  /** Of the client. */
  readonly ownTransport: Transport;
  readonly options: ComponentOptions;
  readonly metrics: PrometheusMetrics;
  readonly parts: DisposableStack;
}

/** The server authenticates by credentials: without separate service accounts, all controllers are one user. */
async function clients(
  client: Client,
  connection: Connection,
  { options, metrics, parts, ownTransport }: ClientParts,
): Promise<AnyComponentOptions['clientFor']> {
  const named: AnyComponentOptions['clientFor'] = (user, _groups, wrap) =>
    wrap
      ? createClient({ transport: wrap(ownTransport), userAgent: userAgentOf(user) })
      : client.withUserAgent(userAgentOf(user));
  if (!options.useServiceAccounts) return named;
  const { logger } = options;
  const transport = parts.use(
    await createHttpTransport({ connection: { ...connection, credentials: {} }, logger, metrics, http2: true }),
  );
  return (user, groups, wrap) => {
    if (!user.startsWith(accountPrefix)) return named(user, groups, wrap);
    const name = user.slice(accountPrefix.length);
    const account = { namespace: 'kube-system', name };
    const own = serviceAccountTransport({ transport, client, clock: systemClock, account });
    return createClient({ transport: wrap?.(own) ?? own, userAgent: userAgentOf(user) });
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
