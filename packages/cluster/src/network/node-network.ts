import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Node, refs } from '@coracle/api';
import { Activity, DisposableStack, messageOf } from '@coracle/base';
import {
  type BridgeConfig,
  bridgeSysctls,
  bringUpBridge,
  createBridge,
  defaultBridge,
  limitTable,
  nodeNetworkConfig,
  nodeNetworkFile,
  nodeNetworkName,
  nodeTable,
  nodeTableRules,
  type PluginHost,
  parseBridgeConfig,
  podRanges,
  type RouteBackend,
  restoreHostPorts,
  restoreLimits,
  tunnelDevice,
  tunnelOverhead,
} from '@coracle/cni';
import { dnsPort } from '@coracle/dns';
import { PolicyEnforcer, policyTable } from '@coracle/network-policy';
import {
  canHandOver,
  hasNftTable,
  installPlugin,
  nftFilter,
  pluginHost,
  runTool,
  startPluginThread,
} from '@coracle/platform-nodejs';
import { dropTable, type PacketFilter, usualProxyConfiguration } from '@coracle/proxy';
import { type ClusterDnsOptions, startClusterDns } from './cluster-dns.js';
import { keepTable } from './keep-table.js';
import { type IngressPorts, startIngress } from './node-ingress.js';
import { addressesOf, followRoutes, podCidrsOf } from './node-routes.js';
import { startLoopbackPorts, startNftProxy, tryServeProxyPages } from './service-proxies.js';

/** Options of the pod network of a node. */
export interface NodeNetworkSettings
  extends Pick<ClusterDnsOptions, 'serviceCidrs' | 'clusterDomain' | 'upstreams' | 'stubDomains'> {
  /** Ranges of pods of the whole cluster. */
  readonly clusterCidrs: readonly string[];
  /** The directories in which the container runtime looks for network configurations and plugins. */
  readonly confDir: string;
  readonly binDir: string;
  /** The bundle of `coracle-cni`. */
  readonly pluginBundle: string;
  /** The directory of leases. */
  readonly leaseDir: string;
  readonly backend?: RouteBackend;
  /** Listening addresses of Ingresses and Gateways; not served if absent. */
  readonly ingress?: IngressPorts;
  /** False where another network plugin connects the pods of all nodes, also if it is not configured here yet. */
  readonly connectsPods?: boolean;
  /** Also serves the cluster DNS, which needs to write endpoints of `kube-dns`. */
  readonly servesNames?: boolean;
  /** Leaves no link, rule, route or file behind when it ends. */
  readonly clean?: boolean;
}

export type NodeNetworkOptions = NodeNetworkSettings & Omit<ClusterDnsOptions, 'addresses'>;

/**
 * Starts the network of a node: the service proxy at once; pods, names and routes as soon as its pod ranges are known.
 * If the container runtime has the configuration of another network plugin, that one handles pods.
 */
export async function startNodeNetwork(options: NodeNetworkOptions): Promise<AsyncDisposable> {
  const { logger, informers, nodeName, clean = false, servesNames = true, connectsPods = true } = options;
  const parts = new DisposableStack();
  const others = await otherConfigs(options.confDir);
  const connects = connectsPods && others.length === 0;
  if (connects) parts.use(await startPlugin(options));
  else logger.info('using the CNI configuration of another network plugin', { configuration: others[0] ?? '' });
  if (clean) parts.defer(() => cleanUp(options));
  const filter = parts.use(nftFilter());
  parts.use(await startProxy(options, filter));
  parts.use(
    new PolicyEnforcer({
      ...options,
      apply: (statements) => filter.apply(statements),
      hasTable: () => hasNftTable(policyTable),
      dnsPort,
      activity: new Activity(),
    }),
  );
  const podRanges = new PodRangesKnown(async (node) => {
    const { addresses, writeTable } = connects
      ? await connectPods(options, podCidrsOf(node), filter)
      : { addresses: addressesOf(node) };
    if (connects) parts.use(followRoutes(options));
    if (writeTable) parts.use(keepTable({ ...options, table: nodeTable, hasTable: hasNftTable, write: writeTable }));
    if (servesNames) parts.use(await startClusterDns({ ...options, addresses }));
    if (options.ingress) parts.use(startIngress({ ...options, ports: options.ingress }));
  });
  parts.use(
    informers.for(refs.nodes).addHandler(({ type, object }) => {
      if (type === 'deleted' || object.metadata.name !== nodeName) return;
      if (addressesOf(object).length === 0 || (connects && podCidrsOf(object).length === 0)) return;
      podRanges
        .tell(object)
        .catch((error) => logger.error('failed to set up the network of the node', { error: messageOf(error) }));
    }),
  );
  return parts;
}

/** Installs the network plugin, and handles its calls in this process if possible. */
async function startPlugin(options: NodeNetworkOptions): Promise<AsyncDisposable> {
  const { pluginBundle: bundle, binDir: folder, leaseDir, logger } = options;
  const socket = join(leaseDir, 'plugin.sock');
  const parts = new DisposableStack();
  if (canHandOver(socket)) {
    await mkdir(leaseDir, { recursive: true });
    const onError = (error: Error) => logger.error('failed to answer calls of the network plugin', { error });
    parts.use(startPluginThread({ bundle, socket, onError }));
  }
  await installPlugin({ bundle, folder, names: ['coracle-cni', 'loopback'], socket });
  return parts;
}

/** Does the setup once the node's ranges are known: once, and again only after a failure. */
class PodRangesKnown {
  readonly #act: (node: Node) => Promise<void>;
  #done = false;

  constructor(act: (node: Node) => Promise<void>) {
    this.#act = act;
  }

  async tell(node: Node): Promise<void> {
    if (this.#done) return;
    this.#done = true;
    try {
      await this.#act(node);
    } catch (error) {
      this.#done = false;
      throw error;
    }
  }
}

/** The service proxy, and its health and metrics at the ports of kube-proxy. */
async function startProxy(options: NodeNetworkOptions, filter: PacketFilter): Promise<AsyncDisposable> {
  const { logger, clusterCidrs, informers, nodeName, metrics } = options;
  const usual = usualProxyConfiguration();
  const settings = { ...usual, podNetworks: clusterCidrs };
  const parts = new DisposableStack();
  const proxy = parts.use(startNftProxy({ ...options, ...settings }, filter));
  parts.use(startLoopbackPorts(options));
  const nodeEligible = () =>
    informers
      .for(refs.nodes)
      .list()
      .every(({ metadata }) => metadata.name !== nodeName || !metadata.deletionTimestamp);
  const config = { 'kubeproxy.config.k8s.io': settings };
  const pages = { ...settings, proxy, mode: 'nftables', metrics, nodeEligible, config } as const;
  parts.use(await tryServeProxyPages(pages, logger));
  return parts;
}

/** The configurations of other network plugins. */
export async function otherConfigs(confDir: string): Promise<string[]> {
  const names = await readdir(confDir).catch(() => []);
  return names.filter((name) => /\.(conf|conflist|json)$/.test(name) && name !== nodeNetworkFile);
}

/**
 * Makes the bridge and the rules, then writes the configuration that the container runtime waits for.
 */
async function connectPods(
  options: NodeNetworkOptions,
  podCidrs: readonly string[],
  filter: PacketFilter,
): Promise<ConnectedPods> {
  const { clusterCidrs, serviceCidrs, confDir, leaseDir: dataDir, backend } = options;
  const host = pluginHost();
  const mtu = host.defaultMtu() - (backend === 'vxlan' ? tunnelOverhead : 0);
  const network = nodeNetworkConfig({ podCidrs, clusterCidrs, mtu, dataDir });
  const [plugin] = network['plugins'] as Record<string, never>[];
  const config = parseBridgeConfig({ name: nodeNetworkName, ...plugin });
  makeBridge(config, mtu, host);
  const { bridge, ranges, masqueradeExcept: except } = config;
  // Serialized with the rules of services: nft may fail if two processes write at once.
  const rules = nodeTableRules(bridge, except && { sources: podRanges(ranges), except });
  await filter.apply(rules);
  const leases = host.leases(config.dataDir, config.network);
  const writeTable = () => filter.apply(`${rules}${restoreHostPorts(leases)}\n${restoreLimits(leases, host)}`);
  // From the node, services are reached with the bridge's address, also where there is no default route.
  const reachable = serviceCidrs.filter((cidr) =>
    config.ranges.some(({ family }) => (family === 6) === cidr.includes(':')),
  );
  host.ip(reachable.map((cidr) => `route replace ${cidr} dev ${config.bridge}`));
  await mkdir(confDir, { recursive: true });
  const file = join(confDir, nodeNetworkFile);
  await writeFile(`${file}.new`, `${JSON.stringify(network, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
  return { addresses: config.ranges.map(({ gateway }) => gateway), writeTable };
}

interface ConnectedPods {
  /** The gateways. */
  readonly addresses: string[];
  /** Writes the rules of all pods again, where they are lost. */
  readonly writeTable?: () => Promise<void>;
}

function makeBridge(config: BridgeConfig, mtu: number, host: PluginHost): void {
  if (!host.linkExists(config.bridge)) host.ip([createBridge(config, mtu)]);
  for (const [path, value] of bridgeSysctls(config)) host.sysctl(path, value);
  host.ip(bringUpBridge(config));
}

/** Removes everything that the network of the node has left on the machine. */
async function cleanUp({ confDir, leaseDir }: NodeNetworkOptions): Promise<void> {
  const host = pluginHost();
  for (const device of [defaultBridge, tunnelDevice])
    if (host.linkExists(device)) await runTool('ip', ['link', 'del', device]);
  const tables = [nodeTable, limitTable, policyTable]
    .map((table) => `add table ${table}\ndelete table ${table}\n`)
    .join('');
  await runTool('nft', ['-f', '-'], { input: dropTable(4) + dropTable(6) + tables });
  await rm(join(confDir, nodeNetworkFile), { force: true });
  await rm(leaseDir, { recursive: true, force: true });
}
