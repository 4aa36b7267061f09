import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import {
  type Activity,
  type Clock,
  DisposableStack,
  type Logger,
  type Metrics,
  type Random,
  type Tracer,
} from '@coracle/base';
import { type Client, createEventRecorder } from '@coracle/client';
import {
  createKubelet,
  type Kubelet,
  type KubeletSettings,
  type NodeDescription,
  type PodReferences,
  type PodSource,
} from '@coracle/kubelet';
import {
  type CriClient,
  createCgroupHost,
  createHostUsage,
  createVolumeHost,
  describeMachine,
  makeDirectory,
  negotiateVersion,
  networkProber,
  runtimeStreams,
  staticPodFiles,
} from '@coracle/platform-nodejs';

/** What may be said of the node that a machine becomes. */
export interface RealNodeSettings {
  /** The machine's host name unless stated. */
  readonly nodeName?: string;
  /** Everything that the kubelet keeps. */
  readonly rootDirectory?: string;
  readonly nodeIps?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<NodeDescription['taints']>;
  /** A folder or file with the pods that the node runs by itself. */
  readonly staticPodPath?: string;
  readonly maxPods?: number;
  /** What pods resolve names by that do so as the node does. */
  readonly resolvConf?: string;
  /** What differs from the kubelet's defaults. */
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
}

/** A node that runs on this machine. */
export interface RealNode extends AsyncDisposable {
  readonly name: string;
  readonly kubelet: Kubelet;
  /** `containerd://1.6.20`. */
  readonly runtimeVersion: string;
}

export const defaultRootDirectory = '/var/lib/kubelet';

/** As a kubelet names its node unless it is told otherwise. */
export function defaultNodeName(): string {
  return hostname().trim().toLowerCase();
}

/** Makes this machine a node: a kubelet on the container runtime behind `cri`. */
export async function startRealNode(options: RealNodeOptions): Promise<RealNode> {
  const { cri, client, logger, clock, nodeName: name = defaultNodeName() } = options;
  const { rootDirectory = defaultRootDirectory, staticPodPath } = options;
  const { runtimeName = '', runtimeVersion: version = '' } = await negotiateVersion(cri);
  const runtimeVersion = `${runtimeName}://${version}`;
  await makeDirectory(rootDirectory, { mode: 0o750 });
  const machine = await describeMachine({ ...options, nodeName: name, runtimeVersion, rootDirectory });
  const stack = new DisposableStack();
  const recorder = stack.use(createEventRecorder({ ...options, client, component: 'kubelet', host: name }));
  const imageDirectory = async () => {
    const { imageFilesystems = [] } = await cri.images.imageFsInfo({});
    return imageFilesystems[0]?.fsId?.mountpoint;
  };
  const kubelet = stack.use(
    createKubelet({
      ...options,
      nodeName: name,
      recorder,
      runtime: cri.runtime,
      images: cri.images,
      prober: networkProber,
      streams: runtimeStreams,
      node: nodeDescription(machine, options),
      cgroups: createCgroupHost(),
      volumeHost: createVolumeHost({ root: rootDirectory }),
      readResolvConf: () => readFile(options.resolvConf ?? '/etc/resolv.conf', 'utf8').catch(() => ''),
      host: createHostUsage({ clock, rootDirectory, imageDirectory }),
      staticPods: staticPodPath ? [staticPodFiles({ path: staticPodPath, clock, logger })] : [],
    }),
  );
  try {
    await kubelet.start();
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
  return { name, kubelet, runtimeVersion, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

function nodeDescription(
  machine: Pick<NodeDescription, 'addresses' | 'capacity' | 'info'>,
  { labels, taints }: RealNodeSettings,
): NodeDescription {
  return { ...machine, ...(labels && { labels }), ...(taints && { taints }) };
}
