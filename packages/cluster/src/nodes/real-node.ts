import { readFile, realpath } from 'node:fs/promises';
import {
  type Activity,
  type Clock,
  DisposableStack,
  type Logger,
  type Metrics,
  PrometheusMetrics,
  type Random,
  type Tracer,
} from '@coracle/base';
import { type Client, createEventRecorder } from '@coracle/client';
import {
  createKubelet,
  defaultSettings,
  type Kubelet,
  type KubeletSettings,
  measuredService,
  type NodeDescription,
  NodeShutdown,
  nodeAccess,
  type PodReferences,
  type PodSource,
  type StaticPodSource,
} from '@coracle/kubelet';
import {
  type CriClient,
  checkpointFiles,
  containerLogFiles,
  createCgroupHost,
  createCsiVolumes,
  createHostStats,
  createHostUsage,
  createImageMounts,
  createVolumeHost,
  credentialProviderPlugins,
  describeMachine,
  followLogind,
  hasLogind,
  hostLogFiles,
  kernelLog,
  makeDirectory,
  mountsImages,
  negotiateVersion,
  networkProber,
  nodeLogs,
  podKeys,
  readMachineTopology,
  refuseSwap,
  runtimeStreams,
  staticPodFiles,
  staticPodUrl,
} from '@coracle/platform-nodejs';

import { cgroupDriverOf } from './cgroup-driver.js';
import { defaultNodeName } from './default-node-name.js';
import { createNodePlugins } from './node-plugins.js';
import { type HealthServing, serveHealth } from './serve-health.js';
import { type NodeServing, openNodePort } from './serve-node.js';
import type { NodeServingFiles } from './serving-files.js';

/** Options of the node on this machine. */
export interface RealNodeSettings {
  /** The machine's host name unless stated. */
  readonly nodeName?: string;
  /** Everything that the kubelet keeps. */
  readonly rootDirectory?: string;
  readonly nodeIps?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<NodeDescription['taints']>;
  /** A folder or file with static pods. */
  readonly staticPodPath?: string;
  /** Sources of static pods, and request headers for URLs. */
  readonly staticPodURL?: string;
  readonly staticPodURLHeader?: Readonly<Record<string, readonly string[]>>;
  /** A machine that swaps becomes no node; false unless stated. */
  readonly failSwapOn?: boolean;
  readonly maxPods?: number;
  /** The resolver configuration of the node. */
  readonly resolvConf?: string;
  /** Credential provider plugins for registries: a CredentialProviderConfig, and their folder. */
  readonly credentialProviders?: { readonly configFile: string; readonly binFolder: string };
  /** Listening address of the kubelet; none if absent. */
  readonly serving?: NodeServing;
  /** Serving certificate, instead of a generated one. */
  readonly servingFiles?: NodeServingFiles;
  /** Address of the health server over plain HTTP; none if absent. */
  readonly health?: HealthServing;
  /** Settings that differ from the kubelet's defaults. */
  readonly settings?: Partial<KubeletSettings>;
}

export interface RealNodeOptions extends RealNodeSettings {
  readonly cri: CriClient;
  /** As the node's user. */
  readonly client: Client;
  readonly pods: PodSource;
  readonly references: PodReferences;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly metrics: Metrics;
  /** The text of what is counted in the process; that of `metrics` unless stated. */
  readonly renderMetrics?: () => string;
}

/** A node that runs on this machine. */
export interface RealNode extends AsyncDisposable {
  readonly name: string;
  readonly kubelet: Kubelet;
  /** `containerd://1.6.20`. */
  readonly runtimeVersion: string;
  /** Handles the end of the kubelet process, which is a node shutdown only where no logind reports those. */
  end(): Promise<void>;
}

const defaultRootDirectory = '/var/lib/kubelet';

/** Without symbolic links, as the mounts below it are listed by the kernel. */
async function makeRoot(directory: string): Promise<string> {
  await makeDirectory(directory, { mode: 0o750 });
  return realpath(directory);
}

/** Makes this machine a node: a kubelet on the container runtime behind `cri`. */
export async function startRealNode(options: RealNodeOptions): Promise<RealNode> {
  const { cri, client, logger, clock, nodeName: name = defaultNodeName() } = options;
  const runtime = await negotiateVersion(cri);
  const { runtimeName = '', runtimeVersion: version = '' } = runtime;
  const runtimeVersion = `${runtimeName}://${version}`;
  if (options.failSwapOn) await refuseSwap();
  const rootDirectory = await makeRoot(options.rootDirectory ?? defaultRootDirectory);
  const podsPerCore = options.settings?.podsPerCore;
  const machine = await describeMachine({ ...options, nodeName: name, runtimeVersion, rootDirectory, podsPerCore });
  const stack = new DisposableStack();
  const recorder = stack.use(createEventRecorder({ ...options, client, component: 'kubelet', host: name }));
  const imageDirectory = async () => {
    const { imageFilesystems = [] } = await cri.images.imageFsInfo({});
    return imageFilesystems[0]?.fsId?.mountpoint;
  };
  const own = { nodeName: name, client, root: rootDirectory, clock, logger, kubelet: () => kubelet };
  const checkpoints = checkpointFiles(rootDirectory);
  const { drivers, devices, claims, start } = stack.use(createNodePlugins({ ...own, checkpoints }));
  // The port is part of the node that the kubelet registers.
  const { port } = stack.use(await openNodePort(options, () => kubelet.server));
  const { credentialProviders, ...rest } = options;
  const plugins = credentialProviders && (await credentialProviderPlugins({ ...credentialProviders, clock, logger }));
  // The cgroup driver that the runtime reports takes precedence.
  const cgroupDriver = await cgroupDriverOf(cri.runtime);
  const kubelet: Kubelet = stack.use(
    createKubelet({
      ...rest,
      settings: { ...rest.settings, ...(cgroupDriver && { cgroupDriver }) },
      ...(plugins && { credentialProviders: plugins }),
      nodeName: name,
      recorder,
      runtime: measuredService(cri.runtime, options),
      images: measuredService(cri.images, options),
      prober: networkProber,
      streams: runtimeStreams,
      node: nodeDescription(machine, options, port),
      devices,
      claims,
      podKeys,
      machine: { topology: await readMachineTopology(), checkpoints },
      cgroups: createCgroupHost(),
      volumeHost: createVolumeHost({
        root: rootDirectory,
        mountImage: mountsImages(runtime) ? undefined : stack.use(createImageMounts(cri)),
        csi: createCsiVolumes({ root: rootDirectory, driverOf: (driver) => drivers.get(driver) }),
      }),
      podLogFiles: hostLogFiles,
      readResolvConf: () => readFile(options.resolvConf ?? '/etc/resolv.conf', 'utf8').catch(() => ''),
      logs: containerLogFiles,
      ...(options.settings?.enableSystemLogHandler !== false && { nodeLogs: nodeLogs() }),
      kernelLog: kernelLog({ clock, logger }),
      hostStats: createHostStats({ clock, rootDirectory, imageDirectory }),
      access: nodeAccess({ ...options.settings, client, clock, nodeName: name }),
      renderMetrics: options.renderMetrics ?? (() => renderedBy(options.metrics)),
      host: createHostUsage({ clock, rootDirectory, imageDirectory }),
      staticPods: staticPodSources(options),
    }),
  );
  await startAll(stack, kubelet, { ...options, startPlugins: start });
  const end = async () => (hasLogind() ? undefined : kubelet.shutDown());
  return { name, kubelet, runtimeVersion, end, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

type StartOptions = RealNodeOptions & { readonly startPlugins: () => Promise<void> };

/** Starts the kubelet and its companions. Stops everything if that fails. */
async function startAll(stack: DisposableStack, kubelet: Kubelet, options: StartOptions): Promise<void> {
  try {
    await kubelet.start();
    await options.startPlugins();
    stack.use(followShutdown(kubelet, options));
    if (options.health) stack.use(await serveHealth(options.health, options));
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

/** logind reports a shutdown and waits; without logind, pods are shut down when the supervisor stops the kubelet. */
function followShutdown(kubelet: Kubelet, { settings, logger }: RealNodeOptions): Disposable {
  const seconds = NodeShutdown.secondsOf({ ...defaultSettings, ...settings });
  if (seconds === 0 || !hasLogind()) return { [Symbol.dispose]: () => undefined };
  return followLogind({
    logger,
    seconds,
    onShutdown: () => kubelet.shutDown(),
    onCancelled: () => kubelet.cancelShutdown(),
  });
}

function staticPodSources(options: RealNodeOptions): StaticPodSource[] {
  const { staticPodPath: path, staticPodURL: url, staticPodURLHeader: headers, clock, logger } = options;
  return [
    ...(path ? [staticPodFiles({ path, clock, logger })] : []),
    ...(url ? [staticPodUrl({ url, clock, logger, ...(headers && { headers }) })] : []),
  ];
}

function nodeDescription(
  machine: Pick<NodeDescription, 'addresses' | 'capacity' | 'info'>,
  { labels, taints }: RealNodeSettings,
  port: number | undefined,
): NodeDescription {
  return { ...machine, ...(port !== undefined && { port }), ...(labels && { labels }), ...(taints && { taints }) };
}

/** Only metrics that are collected in memory can be served. */
function renderedBy(metrics: Metrics): string {
  return metrics instanceof PrometheusMetrics ? metrics.render() : '';
}
