import type { RunKubeletOptions } from '@coracle/cluster';
import { createStderrLogger, type LogLevel } from '@coracle/platform-nodejs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addConfigurationFlags } from './configuration-flags.js';
import { parseCount, parseList, parsePort } from './flag-values.js';
import { type ConfiguredNode, defaultCriEndpoint, healthServing, readConfiguredNode } from './kubelet-configuration.js';
import { checkPemFiles } from './pem-files.js';

/** Flags of upstream's kubelet that describe the node. */
export interface KubeletFlags {
  readonly config?: string;
  readonly hostnameOverride?: string;
  readonly nodeIp?: readonly string[];
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly registerWithTaints?: NonNullable<RunKubeletOptions['taints']>;
  readonly rootDir: string;
  readonly certDir?: string;
  readonly containerRuntimeEndpoint?: string;
  readonly imageServiceEndpoint?: string;
  readonly imageCredentialProviderConfig?: string;
  readonly imageCredentialProviderBinDir?: string;
  readonly cgroupRoot?: string;
  readonly podManifestPath?: string;
  readonly manifestUrl?: string;
  readonly allowedUnsafeSysctls?: readonly string[];
  readonly clusterDns?: readonly string[];
  readonly clusterDomain?: string;
  readonly maxPods?: number;
  readonly port?: number;
  readonly resolvConf?: string;
  readonly healthzBindAddress?: string;
  readonly healthzPort?: number;
  readonly logLevel: LogLevel;
}

export function addKubeletFlags(command: Command): Command {
  return addConfigurationFlags(command)
    .option('--config <file>', 'KubeletConfiguration file; flags take precedence')
    .option('--hostname-override <name>', 'node name (default: the host name)')
    .option('--node-ip <list>', 'node IP addresses (default: the first one of the machine)', parseList)
    .option('--node-labels <list>', 'labels that the node registers with: key=value,…', parseLabels)
    .option('--register-with-taints <list>', 'taints that the node registers with: key=value:effect,…', parseTaints)
    .option('--root-dir <dir>', 'root directory of the kubelet: volumes and checkpoints', '/var/lib/kubelet')
    .option(
      '--cert-dir <dir>',
      'directory of the client certificate that the kubelet requests (default: pki in the root directory)',
    )
    .option(
      '--container-runtime-endpoint <url>',
      `CRI socket of the container runtime (default: ${defaultCriEndpoint})`,
    )
    .option('--image-service-endpoint <url>', 'CRI endpoint of the image service (default: that of the runtime)')
    .option('--image-credential-provider-config <file>', 'CredentialProviderConfig file')
    .option('--image-credential-provider-bin-dir <dir>', 'directory of credential provider plugins')
    .option('--cgroup-root <path>', 'parent cgroup of all pods (default: /)')
    .option('--pod-manifest-path <path>', 'file or directory of static pod manifests')
    .option('--manifest-url <url>', 'URL of static pod manifests: a Pod or a PodList')
    .option('--allowed-unsafe-sysctls <list>', 'unsafe sysctls that pods may set, such as kernel.msg*', parseList)
    .option('--cluster-dns <list>', 'IP addresses of the cluster DNS', parseList)
    .option('--cluster-domain <domain>', 'DNS domain of the cluster (default: cluster.local)')
    .option('--max-pods <n>', 'maximum number of pods on the node (default: 110)', parseCount)
    .option('--port <port>', 'port of the kubelet; 0 takes a free one (default: 10250)', parsePort)
    .option('--healthz-bind-address <ip>', 'IP address of the health server (default: 127.0.0.1)')
    .option('--healthz-port <port>', 'port of the health server; 0 disables it (default: 10248)', parsePort)
    .option('--resolv-conf <file>', 'resolver configuration file of pods with dnsPolicy Default')
    .addOption(new Option('--log-level <level>', 'log level').choices(['error', 'info', 'debug']).default('error'));
}

type KubeletOptions = Omit<RunKubeletOptions, 'kubeconfig'> & Pick<ConfiguredNode, 'rotateCertificates'>;

/** The combined settings of flags and the configuration file. */
export async function kubeletOptions(flags: KubeletFlags): Promise<KubeletOptions> {
  await checkPemFiles(flags);
  const { health, ...file } = await readConfiguredNode(flags.config, flags);
  const { cgroupRoot, clusterDns, clusterDomain, containerRuntimeEndpoint, maxPods, port, resolvConf } = flags;
  return {
    criEndpoint: defaultCriEndpoint,
    ...file,
    rootDirectory: flags.rootDir,
    logger: createStderrLogger({ level: flags.logLevel }),
    ...credentialProvidersOf(flags),
    ...(containerRuntimeEndpoint && { criEndpoint: containerRuntimeEndpoint }),
    ...(flags.imageServiceEndpoint && { imageEndpoint: flags.imageServiceEndpoint }),
    ...(flags.hostnameOverride && { nodeName: flags.hostnameOverride.toLowerCase() }),
    ...(flags.nodeIp && { nodeIps: flags.nodeIp }),
    ...(flags.nodeLabels && { labels: flags.nodeLabels }),
    ...(flags.registerWithTaints && { taints: flags.registerWithTaints }),
    ...(flags.podManifestPath && { staticPodPath: flags.podManifestPath }),
    ...(flags.manifestUrl && { staticPodURL: flags.manifestUrl }),
    ...(maxPods !== undefined && { maxPods }),
    ...(port !== undefined && { kubeletPort: port }),
    ...(resolvConf !== undefined && { resolvConf }),
    ...healthServing(health, { host: flags.healthzBindAddress, port: flags.healthzPort }),
    settings: {
      ...file.settings,
      ...(cgroupRoot && { cgroupRoot }),
      ...(flags.allowedUnsafeSysctls && { allowedUnsafeSysctls: flags.allowedUnsafeSysctls }),
      ...(clusterDns && { clusterDNS: clusterDns }),
      ...(clusterDomain && { clusterDomain }),
    },
  };
}

function credentialProvidersOf(flags: KubeletFlags): Pick<RunKubeletOptions, 'credentialProviders'> {
  const { imageCredentialProviderConfig: configFile, imageCredentialProviderBinDir: binFolder } = flags;
  if ((configFile === undefined) !== (binFolder === undefined))
    throw new Error(
      '--image-credential-provider-config and --image-credential-provider-bin-dir must be given together',
    );
  return configFile !== undefined && binFolder !== undefined ? { credentialProviders: { configFile, binFolder } } : {};
}

function parseLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    parseList(text).map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new InvalidArgumentError(`${JSON.stringify(pair)} is not of the form key=value`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function parseTaints(text: string): NonNullable<KubeletFlags['registerWithTaints']> {
  return parseList(text).map((one) => {
    const match = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(one);
    if (!match) throw new InvalidArgumentError(`invalid taint spec: ${one}`);
    const [, key = '', value, effect = ''] = match;
    return { key, ...(value !== undefined && { value }), effect };
  });
}
