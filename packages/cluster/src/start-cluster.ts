import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstServiceAddress } from '@coracle/apiserver';
import { Activity, type Clock, DisposableStack, nextTurn, seededRandom, silentLogger } from '@coracle/base';
import { type Client, createInformers } from '@coracle/client';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  type NodeProvider,
  startControlPlane,
} from '@coracle/control-plane';
import { ensureIngressClass } from '@coracle/ingress';
import { type ClusterPki, createDialer, createSystemRandom, systemClock } from '@coracle/platform-nodejs';
import {
  type ClusterNetwork,
  type ImageProgram,
  parseStages,
  SimulatedNetwork,
  type SimulatedNodeProvider,
  type SimulatedNodes,
  simulatedNodeProvider,
} from '@coracle/simulation';
import { ClusterClock } from './cluster-clock.js';
import type { ClusterOptions } from './cluster-options.js';
import { type ClusterContext, controlPlaneOptions } from './control-plane-options.js';
import { ensureDefaultClass, localVolumes } from './local-volumes.js';
import { remoteKubelets } from './nodes/kubelet-client.js';
import { nodeServing } from './nodes/node-serving.js';
import { openStores } from './open-stores.js';
import { ownRequestHeader, readRequestHeader } from './request-header.js';
import { type Address, certDirIn, openPki, type ServeOptions, serve } from './serve.js';

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
  /**
   * Held while work is in progress; pass it to your own controllers, so that `advance` and `settled` wait for them too.
   */
  readonly activity: Activity;
  /** Resolves when the cluster is idle: no queue has work, and no timer is due. */
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

async function assemble(options: ClusterOptions, parts: DisposableStack): Promise<Cluster> {
  const activity = new Activity();
  const virtual = options.clock === 'virtual' ? new ClusterClock({ activity }) : undefined;
  const wrap = options.wrap?.({ activity }) ?? {};
  const plainClock: Clock = virtual ?? systemClock;
  const clock = wrap.clock?.(plainClock) ?? plainClock;
  const logger = options.logger ?? silentLogger;
  const listen = options.listen === undefined ? { host: '127.0.0.1', port: 0 } : options.listen;
  const readPki = listen === false ? undefined : pkiReader(options, clock);
  const opening = openStores(options, { clock, logger, activity, parts, wrap: wrap.store });
  const [stores, pki] = await Promise.all([opening, readPki?.()]).catch(async (error: unknown) => {
    // A store that opens after the failure would not be closed.
    await Promise.allSettled([opening]);
    throw error;
  });
  options.onProgress?.(`store (${stores.storeKind})`);
  const context: ClusterContext = { clock, logger, activity, parts, ...stores };
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
      ...(await controlPlaneOptions(options, context, { pki, proxies })),
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
  const serving = await startServing(options, context, served);
  const stop = () => parts[Symbol.asyncDispose]();
  const network = networkOf(controlPlane, options, { ...context, simulated });
  simulated.nodes.setNetwork(network);
  return {
    client: controlPlane.client,
    controlPlane,
    activity,
    nodes: simulated.nodes,
    image: (name, program) => simulated.nodes.setImage(name, program),
    get network() {
      return network();
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

/** Outgoing connections of the server: webhooks, pods, and kubelets. */
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

/** The node's data is in the cluster's data directory, so that clusters of one machine do not share it. */
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

function servingOptions(
  options: ClusterOptions,
  { clock, logger }: ClusterContext,
): Omit<ServeOptions, 'controlPlane' | 'pki' | 'openPki' | 'address'> {
  const { certificateFiles, requestHeader, tls, advertiseAddress, shutdownDelayMs, kubeconfigFile } = options;
  const files = { ...certificateFiles, ...(requestHeader && { proxyCa: requestHeader.clientCa }) };
  const podCidrs = options.realNode?.network?.clusterCidrs;
  return { files, tls, advertiseAddress, podCidrs, shutdownDelayMs, kubeconfigFile, clock, logger };
}

interface Served extends Pick<ServeOptions, 'controlPlane' | 'proxies'> {
  readonly pki: ClusterPki | undefined;
  readonly openPki: (() => Promise<ClusterPki>) | undefined;
  readonly address: Address | false;
}

/** Empty if it should not listen. */
async function startServing(
  options: ClusterOptions,
  context: ClusterContext,
  { pki, openPki, address, ...rest }: Served,
) {
  if (!pki || !openPki || !address) return undefined;
  return context.parts.use(await serve({ ...servingOptions(options, context), ...rest, pki, openPki, address }));
}

/** Created on first use: most clusters do without. */
function networkOf(
  controlPlane: ControlPlane,
  options: ClusterOptions,
  context: ClusterContext & { readonly simulated: SimulatedNodeProvider },
): () => ClusterNetwork {
  let network: ClusterNetwork | undefined;
  return () => {
    network ??= openNetwork(controlPlane, options, context);
    return network;
  };
}

function openNetwork(
  { client }: ControlPlane,
  { seed, realNode }: ClusterOptions,
  { parts, simulated, ...context }: ClusterContext & { readonly simulated: SimulatedNodeProvider },
): ClusterNetwork {
  const { servers } = simulated.nodes;
  const routes = () => simulated.routes;
  const random = seed === undefined ? createSystemRandom() : seededRandom(seed);
  const informers = parts.use(createInformers({ ...context, client, random }));
  const domain = realNode?.network?.clusterDomain ?? 'cluster.local';
  return new SimulatedNetwork({ informers, random, domain, routes, servers });
}

/** With the folder of the cluster's certificates, and the front proxy that is there unless another is named. */
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

/** Idle for several turns in a row: one turn may pass between a write and its watchers. */
async function atRest(activity: Activity): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet = activity.busy ? 0 : quiet + 1) await nextTurn();
}
