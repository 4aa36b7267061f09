import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstServiceAddress } from '@coracle/apiserver';
import {
  Activity,
  type Clock,
  DisposableStack,
  type Logger,
  nextTurn,
  noTracer,
  PrometheusMetrics,
  RecordingTracer,
  seededRandom,
  silentLogger,
} from '@coracle/base';
import { type Client, createInformers, type Transport } from '@coracle/client';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  type NodeProvider,
  type PrometheusSettings,
  startControlPlane,
  tracedResources,
  usualMaskSize,
} from '@coracle/control-plane';
import type { RuntimeService } from '@coracle/cri';
import { ensureIngressClass, type RoutingTable } from '@coracle/ingress';
import {
  type ClusterPki,
  createCertificateSigner,
  createDialer,
  createProcessProfiler,
  createSystemRandom,
  logFolder,
  readProcessStats,
  systemClock,
  type TlsSettings,
} from '@coracle/platform-nodejs';
import {
  type ClusterNetwork,
  type ImageProgram,
  parseStages,
  SimulatedNetwork,
  type SimulatedNodes,
  simulatedNodeProvider,
} from '@coracle/simulation';
import { Compactor, type Store } from '@coracle/store';
import { type AuditSettings, createAudit } from './audit.js';
import { type AuthenticationSettings, externalTokens } from './authentication.js';
import { type AuthorizationSettings, createAuthorizer } from './authorization.js';
import { ClusterClock } from './cluster-clock.js';
import { encryptStore, ownEncryptionConfig } from './encryption.js';
import { openExtenderTransport } from './extender-transport.js';
import { ensureDefaultClass, localVolumes } from './local-volumes.js';
import { type KubeletClientFiles, remoteKubelets } from './nodes/kubelet-client.js';
import { nodeServing } from './nodes/node-serving.js';
import type { RealNodeProviderOptions } from './nodes/real-node-provider.js';
import { openStore, type StoreChoice } from './open-store.js';
import { openPrometheus } from './prometheus.js';
import { ownRequestHeader, type Proxies, type RequestHeaderFiles, readRequestHeader } from './request-header.js';
import { type Address, certDirIn, openPki, type ServeOptions, serve } from './serve.js';
import type { CertificateFiles } from './serving-certificates.js';
import { type TokenKeyTexts, tokenKeys } from './signing-keys.js';
import { reloadedTokens } from './static-tokens.js';

/** What wrappers of seams are made with. */
export interface WrapperDependencies {
  /** To be held while something is under way in a wrapper. */
  readonly activity: Activity;
}

/** What stands in place of a seam. */
export interface SeamWrappers {
  readonly clock?: (clock: Clock) => Clock;
  readonly store?: (store: Store) => Store;
  /** Of the components; `cluster.client` talks to the API server directly. */
  readonly transport?: (transport: Transport) => Transport;
  /** Of each simulated node. */
  readonly runtime?: (runtime: RuntimeService) => RuntimeService;
}

/** What a cluster is made of. Everything has a default. */
export interface ClusterOptions
  extends Partial<
    Pick<
      ControlPlaneOptions,
      | 'authorizationModes'
      | 'authorizationPolicies'
      | 'serviceRanges'
      | 'staticTokens'
      | 'admission'
      | 'runtimeConfig'
      | 'features'
      | 'issuer'
      | 'components'
      | 'corsAllowedOrigins'
      | 'requestTimeoutMs'
      | 'onProgress'
      | 'debugRequests'
      | 'minWatchMs'
      | 'inFlightLimits'
      | 'priorityAndFairness'
      | 'eventTtlSeconds'
      | 'anonymousAuth'
      | 'apiAudiences'
      | 'maxTokenSeconds'
      | 'bootstrapTokens'
      | 'storageMediaType'
      | 'checkLog'
      | 'flags'
      | 'allowsPrivileged'
      | 'endpointReconciler'
      | 'nodeIpam'
      | 'metricsServer'
      | 'whyApi'
      | 'loadBalancer'
      | 'controllerManager'
    >
  > {
  /** The file that `staticTokens` came from, which is read again when it changes. */
  readonly staticTokenFile?: string;
  /** Authenticators of tokens that others issue. */
  readonly authentication?: AuthenticationSettings;
  /** Authorizers that others are behind, instead of `authorizationModes`. */
  readonly authorization?: AuthorizationSettings | undefined;
  /**
   * An `EncryptionConfiguration` file; secrets in a data directory are encrypted with a key of their own unless stated.
   */
  readonly encryptionConfigFile?: string | undefined;
  /** Whether that file is read again when it changes. */
  readonly reloadsEncryption?: boolean;
  /** Which requests are recorded, and where; none unless stated. */
  readonly audit?: AuditSettings | undefined;
  /** A parsed KubeSchedulerConfiguration and plugins of one's own; extenders are reached over HTTP. */
  readonly scheduler?: Pick<NonNullable<ControlPlaneOptions['scheduler']>, 'configuration' | 'extraPlugins'>;
  /** Serves custom and external metrics from Prometheus under this URL, as rules say. */
  readonly prometheus?: { readonly url: string; readonly rules: PrometheusSettings['rules'] } | undefined;
  /** Where to listen, or `false` for no socket at all. A free port of this machine unless stated. */
  readonly listen?: Address | false;
  /** Everything that the cluster keeps. A temporary one, removed at the end, unless stated. */
  readonly dataDir?: string;
  readonly certDir?: string;
  /** Where the administrator's kubeconfig is written, and written again when its certificate is renewed. */
  readonly kubeconfigFile?: string;
  /** Certificates that the cluster does not make itself. */
  readonly certificateFiles?: CertificateFiles;
  /** How the API server reaches kubelets of other processes. */
  readonly kubeletClient?: KubeletClientFiles;
  /** What the server agrees to with clients; as kube-apiserver unless stated. */
  readonly tls?: TlsSettings;
  /** What the API server shows to API servers behind it, as PEM; a certificate of its own unless stated. */
  readonly proxyClient?: { readonly certificate: string; readonly key: string };
  /** Authenticating proxies in front of the API server. */
  readonly requestHeader?: RequestHeaderFiles;
  /** Where others reach the API server, if that is not where it listens. */
  readonly advertiseAddress?: string;
  /** How long it keeps serving after it was stopped, while it is not ready. */
  readonly shutdownDelayMs?: number;
  /** How often the history of the store is cut; 0 for never. */
  readonly compactionIntervalMs?: number;
  /** Keys of service account tokens that the cluster does not make itself, as PEM. */
  readonly tokenKeys?: TokenKeyTexts;
  /** In memory unless stated. */
  readonly store?: StoreChoice;
  /** Simulated nodes. One unless stated. */
  readonly nodes?: number;
  /**
   * KWOK's `Stage` objects as YAML: what becomes of the pods or nodes of simulated nodes, instead of what kubelets do.
   */
  readonly stages?: readonly { readonly name: string; readonly text: string }[];
  /** Makes this machine a node, with the container runtime behind a CRI socket. */
  readonly realNode?: RealNodeProviderOptions;
  /** `virtual`: time stands still but for `cluster.clock.advance`. */
  readonly clock?: 'system' | 'virtual';
  /** The seed of random numbers, for a run that can be repeated. */
  readonly seed?: number;
  readonly logger?: Logger;
  /** Whether the steps of pods, and of what makes them, are kept for `coracle trace`. They cost a tenth of a create. */
  readonly traces?: boolean;
  /** The folder that `/logs` shows; none unless stated. */
  readonly logFolder?: string;
  /** Whether `/debug/pprof` is served; true unless stated. */
  readonly profiling?: boolean;
  /** Stand between the parts, to inject faults. */
  readonly wrap?: (deps: WrapperDependencies) => SeamWrappers;
  /** How much history of the store is kept at least. */
  readonly historyMs?: number;
}

/** A cluster that runs in this process. */
export interface Cluster extends AsyncDisposable {
  /** In this process, as an administrator. */
  readonly client: Client;
  readonly controlPlane: ControlPlane;
  /** The simulated ones. */
  readonly nodes: SimulatedNodes;
  /**
   * Lets a function run as the containers of an image, until it is disposed: `cluster.image('app:1', async ({ log }) =>
   * log('hi'))`.
   */
  image(name: string, program: ImageProgram): Disposable;
  /** The network of simulated pods: `await cluster.network.fetch('http://web.default')`. */
  readonly network: ClusterNetwork;
  /** Empty when it does not listen. */
  readonly url: string;
  /** The administrator's; its certificate is renewed while the cluster runs. */
  readonly kubeconfig: string;
  /** With a virtual clock: `await cluster.clock.advance('10m')`. */
  readonly clock: ClusterClock;
  /** Held by what works; give it to your own controllers, so that `advance` and `settled` wait for them too. */
  readonly activity: Activity;
  /** Resolves when everything is idle: no queue has work, and nothing is due. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a whole cluster in this process. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const parts = new DisposableStack();
  try {
    return await assemble(options.listen === false ? options : await withCertificates(options, parts), parts);
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

/** What of a cluster the others are made with. */
interface Ground {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly store: Store;
  readonly storeKind: StoreChoice['kind'];
  readonly parts: DisposableStack;
}

async function assemble(options: ClusterOptions, parts: DisposableStack): Promise<Cluster> {
  const activity = new Activity();
  const virtual = options.clock === 'virtual' ? new ClusterClock({ activity }) : undefined;
  const wrap = options.wrap?.({ activity }) ?? {};
  const plainClock: Clock = virtual ?? systemClock;
  const clock = wrap.clock?.(plainClock) ?? plainClock;
  const logger = options.logger ?? silentLogger;
  const choice = options.store ?? { kind: 'memory' };
  const listen = options.listen === undefined ? { host: '127.0.0.1', port: 0 } : options.listen;
  const readPki = listen === false ? undefined : pkiReader(options, clock);
  const [plainStore, pki] = await Promise.all([
    openStore(choice, { clock, activity }).then((opened) => parts.use(opened)),
    readPki?.(),
  ]);
  const store = await encryptedAtRest(options, wrap.store?.(plainStore) ?? plainStore, { logger, parts });
  options.onProgress?.(`store (${choice.kind})`);
  const ground: Ground = { clock, logger, activity, store, storeKind: choice.kind, parts };
  compactFromTimeToTime(options, ground);
  const { requestHeader: proxyFiles, certificateFiles: { clientCa } = {} } = options;
  const proxies = proxyFiles && pki ? await readRequestHeader(proxyFiles, { pki, clientCaFile: clientCa }) : undefined;
  const simulated = simulatedNodeProvider({
    count: options.nodes ?? 1,
    ingress: (options.nodes ?? 1) > 0 && options.realNode?.network === undefined,
    ...(wrap.runtime && { wrapRuntime: wrap.runtime }),
    stages: (options.stages ?? []).flatMap(({ name, text }) => parseStages(text, name)),
  });
  const hasNodes = (options.nodes ?? 1) > 0 || options.realNode !== undefined;
  const controlPlane = parts.use(
    await startControlPlane({
      ...(await controlPlaneOptions(options, ground, { pki, proxies })),
      wrapTransport: wrap.transport,
      ...(hasNodes && { localPath: localVolumes(options.dataDir), metricsServer: options.metricsServer ?? true }),
      whyApi: options.whyApi ?? (hasNodes && options.listen !== false && (options.components?.scheduler ?? true)),
      ...outbound(options, { pki, clock, parts }),
      nodeProviders: [...(await realNodes(options, pki, clock)), simulated],
    }),
  );
  if (hasNodes) await ensureDefaultClass(controlPlane.client);
  if (hasNodes) await ensureIngressClass(controlPlane.client);
  const served = { controlPlane, pki, proxies, openPki: readPki, address: listen };
  const serving = await startServing(options, ground, served);
  const stop = () => parts[Symbol.asyncDispose]();
  let network: ClusterNetwork | undefined;
  return {
    client: controlPlane.client,
    controlPlane,
    activity,
    nodes: simulated.nodes,
    image: (name, program) => simulated.nodes.setImage(name, program),
    get network() {
      const { servers } = simulated.nodes;
      network ??= openNetwork(controlPlane, options, { ...ground, routes: () => simulated.routes, servers });
      return network;
    },
    url: serving?.url ?? '',
    get kubeconfig(): string {
      return serving?.kubeconfig ?? '';
    },
    get clock(): ClusterClock {
      if (!virtual)
        throw new Error("this cluster runs on real time; start it with { clock: 'virtual' } to move its clock");
      return virtual;
    },
    settled: () => (virtual ? virtual.settle() : atRest(activity)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** How the server reaches others: webhooks, pods, and kubelets. */
function outbound(
  { kubeletClient = {}, proxyClient }: ClusterOptions,
  { parts, ...own }: { readonly pki: ClusterPki | undefined; readonly clock: Clock; readonly parts: DisposableStack },
): Pick<ControlPlaneOptions, 'dialer' | 'nodeConnector' | 'proxyIdentity'> {
  const dialer = parts.use(createDialer());
  const { certificate: clientCertificate, key: clientKey } = proxyClient ?? own.pki?.frontProxyClient ?? {};
  return {
    dialer,
    nodeConnector: remoteKubelets(kubeletClient, { dialer, ...own }),
    proxyIdentity: () => ({ ...(clientCertificate && { clientCertificate }), ...(clientKey && { clientKey }) }),
  };
}

/** What the node keeps stands with all else that the cluster keeps, so that clusters of one machine do not share it. */
async function realNodes(
  { realNode, dataDir }: ClusterOptions,
  pki: ClusterPki | undefined,
  clock: Clock,
): Promise<NodeProvider[]> {
  if (!realNode) return [];
  const rootDirectory = dataDir === undefined ? undefined : join(dataDir, 'kubelet');
  const serving = await nodeServing(realNode, pki, clock);
  const { realNodeProvider } = await import('./nodes/real-node-provider.js');
  return [realNodeProvider({ ...(rootDirectory && { rootDirectory }), ...realNode, ...serving })];
}

function compactFromTimeToTime(
  { compactionIntervalMs, historyMs }: ClusterOptions,
  { store, clock, logger, storeKind, parts }: Ground,
): void {
  if (compactionIntervalMs === 0) return;
  parts.use(
    new Compactor({
      store,
      clock,
      logger,
      shared: storeKind === 'etcd',
      ...(compactionIntervalMs && { intervalMs: compactionIntervalMs }),
      ...(historyMs && { keepMs: historyMs }),
    }),
  );
}

function servingOptions(
  options: ClusterOptions,
  { clock, logger }: Ground,
): Omit<ServeOptions, 'controlPlane' | 'pki' | 'openPki' | 'address'> {
  const { certificateFiles, requestHeader, tls, advertiseAddress, shutdownDelayMs, kubeconfigFile } = options;
  const files = { ...certificateFiles, ...(requestHeader && { proxyCa: requestHeader.clientCa }) };
  const podCidrs = options.realNode?.network?.clusterCidrs;
  return { files, tls, advertiseAddress, podCidrs, shutdownDelayMs, kubeconfigFile, clock, logger };
}

async function controlPlaneOptions(
  { requestHeader: _files, wrap: _wrap, audit, authentication, authorization, prometheus, ...options }: ClusterOptions,
  { clock, logger, activity, store, storeKind, parts }: Ground,
  { pki, proxies }: { readonly pki: ClusterPki | undefined; readonly proxies: Proxies | undefined },
): Promise<ControlPlaneOptions> {
  const metrics = new PrometheusMetrics();
  return {
    ...options,
    ...staticTokensOf(options, { logger, parts }),
    ...(authentication && { externalTokens: externalTokens(authentication, { clock, logger, parts }) }),
    ...(authorization && { externalAuthorizer: createAuthorizer(authorization, { clock, logger, parts }) }),
    ...(prometheus && { prometheus: prometheusAt(prometheus, parts) }),
    ...(audit && { audit: createAudit(audit, { clock, logger, metrics, parts }) }),
    store,
    clock,
    logger,
    activity,
    random: options.seed === undefined ? createSystemRandom() : seededRandom(options.seed),
    ...(storeKind === 'etcd' && sharedStoreOptions(options)),
    metrics,
    processStats: readProcessStats,
    ...(options.logFolder !== undefined && { logFiles: logFolder(options.logFolder) }),
    ...(options.profiling !== false && { profiler: createProcessProfiler() }),
    tracer: options.traces ? new RecordingTracer({ clock, resources: tracedResources }) : noTracer,
    ...(pki && { caCertificate: pki.ca.certificate, certificateSigner: createCertificateSigner(pki.ca) }),
    ...(await tokenKeys(options.tokenKeys ?? {}, pki)),
    ...(proxies && { requestHeader: proxies.options }),
    ...podRanges(options),
    ...(options.scheduler && { scheduler: withExtenders(options.scheduler, parts) }),
  };
}

function staticTokensOf(
  { staticTokens: text, staticTokenFile: file }: ClusterOptions,
  deps: Pick<Ground, 'logger' | 'parts'>,
): Pick<ControlPlaneOptions, 'staticTokens'> {
  return file === undefined || typeof text !== 'string' ? {} : { staticTokens: reloadedTokens(file, text, deps) };
}

function prometheusAt(
  { url, rules }: NonNullable<ClusterOptions['prometheus']>,
  parts: DisposableStack,
): PrometheusSettings {
  return { rules, source: parts.use(openPrometheus(url)).source };
}

function withExtenders(
  scheduler: NonNullable<ClusterOptions['scheduler']>,
  parts: DisposableStack,
): NonNullable<ControlPlaneOptions['scheduler']> {
  if (!scheduler.configuration?.extenders?.length) return scheduler;
  return { ...scheduler, extenderTransport: parts.use(openExtenderTransport()).transport };
}

interface Served extends Pick<ServeOptions, 'controlPlane' | 'proxies'> {
  readonly pki: ClusterPki | undefined;
  readonly openPki: (() => Promise<ClusterPki>) | undefined;
  readonly address: Address | false;
}

/** Nothing, if it is not to listen. */
async function startServing(options: ClusterOptions, ground: Ground, { pki, openPki, address, ...rest }: Served) {
  if (!pki || !openPki || !address) return undefined;
  return ground.parts.use(await serve({ ...servingOptions(options, ground), ...rest, pki, openPki, address }));
}

/** Created on first use: most clusters do without. */
function openNetwork(
  { client }: ControlPlane,
  { seed, realNode }: ClusterOptions,
  {
    parts,
    routes,
    servers,
    ...ground
  }: Ground & {
    readonly routes: () => RoutingTable;
    readonly servers: SimulatedNodes['servers'];
  },
): ClusterNetwork {
  const random = seed === undefined ? createSystemRandom() : seededRandom(seed);
  const informers = parts.use(createInformers({ ...ground, client, random }));
  const domain = realNode?.network?.clusterDomain ?? 'cluster.local';
  return new SimulatedNetwork({ informers, random, domain, routes, servers });
}

/** Where this machine connects pods, nodes get their parts of the ranges of pods. */
function podRanges({ nodeIpam, realNode }: ClusterOptions): Pick<ControlPlaneOptions, 'nodeIpam'> {
  if (nodeIpam) return { nodeIpam };
  if (!realNode?.network) return {};
  const ranges = realNode.network.clusterCidrs.map((cidr) => ({
    cidr,
    maskSize: usualMaskSize[cidr.includes(':') ? 6 : 4],
  }));
  return { nodeIpam: { ranges } };
}

/** An etcd can be shared with other API servers; the other stores cannot. */
function sharedStoreOptions({ storageMediaType }: ClusterOptions): Partial<ControlPlaneOptions> {
  return {
    sharesStore: true,
    hostname: hostname(),
    // As kube-apiserver does, so that tools which look into an etcd find what they know.
    storageMediaType: storageMediaType ?? 'application/vnd.kubernetes.protobuf',
    leaderElection: { identity: `${hostname()}_${randomUUID()}` },
  };
}

/** With the folder of the cluster's certificates, and the front proxy that stands there unless another is named. */
async function withCertificates(options: ClusterOptions, parts: DisposableStack): Promise<ClusterOptions> {
  const certDir = options.certDir ?? certDirIn(await dataDirOf(options, parts));
  return { ...options, certDir, requestHeader: options.requestHeader ?? ownRequestHeader(certDir) };
}

function pkiReader(options: ClusterOptions, clock: Clock): () => Promise<ClusterPki> {
  const { certDir = '' } = options;
  const serviceAddress = firstServiceAddress(options.serviceRanges);
  return () => openPki({ certDir, clock, serviceAddress });
}

async function dataDirOf({ dataDir }: ClusterOptions, parts: DisposableStack): Promise<string> {
  if (dataDir !== undefined) return dataDir;
  const temporary = await mkdtemp(join(tmpdir(), 'coracle-'));
  parts.defer(() => rm(temporary, { recursive: true, force: true }));
  return temporary;
}

/** The store with what is encrypted in it. In a data directory secrets are, in etcd what the file says. */
async function encryptedAtRest(
  { encryptionConfigFile, reloadsEncryption = false, store: choice }: ClusterOptions,
  store: Store,
  deps: { readonly logger: Logger; readonly parts: DisposableStack },
): Promise<Store> {
  const own = choice?.kind === 'lmdb' ? () => ownEncryptionConfig(choice.dataDir) : undefined;
  const file = encryptionConfigFile ?? (await own?.());
  return file === undefined ? store : await encryptStore(store, { file, reloads: reloadsEncryption, ...deps });
}

/** Quiet for several turns in a row: one turn may lie between a write and its watchers. */
async function atRest(activity: Activity): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet = activity.busy ? 0 : quiet + 1) await nextTurn();
}
