import { readFile } from 'node:fs/promises';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { type HealthServing, type RunKubeletOptions, usualHealthServing } from '@coracle/cluster';
import { type KubeletConfiguration, parseKubeletConfiguration } from '@coracle/kubelet';
import { idleConfigurationFlags, withConfigurationFlags } from './configuration-flags.js';
import { warnOfIdle } from './idle-flags.js';

export const defaultCriEndpoint = 'unix:///run/containerd/containerd.sock';

/** The node settings in a KubeletConfiguration. */
export type ConfiguredNode = Pick<
  RunKubeletOptions,
  | 'imageEndpoint'
  | 'taints'
  | 'staticPodPath'
  | 'staticPodURL'
  | 'staticPodURLHeader'
  | 'failSwapOn'
  | 'maxPods'
  | 'kubeletPort'
  | 'resolvConf'
  | 'health'
  | 'servingFiles'
> &
  Required<Pick<RunKubeletOptions, 'settings'>> &
  Partial<Pick<RunKubeletOptions, 'criEndpoint'>> & {
    /** Whether the client certificate is replaced before it ends. */
    readonly rotateCertificates?: boolean;
  };

const noConfiguration = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };

/**
 * Reads a KubeletConfiguration file, with fields overridden by flags, and prints the fields without effect.
 * Without both nothing is set.
 */
export async function readConfiguredNode(file: string | undefined, flags: object = {}): Promise<ConfiguredNode> {
  const stated = file === undefined ? noConfiguration : await readConfigurationFile(file);
  const configuration = parseKubeletConfiguration(withConfigurationFlags(stated, flags));
  const { settings, failSwapOn } = configuration;
  warnOfIdle([...configuration.withoutEffect, ...idleConfigurationFlags(flags)]);
  const { staticPodPath, staticPodURL, staticPodURLHeader, registerWithTaints: taints } = configuration;
  const { containerRuntimeEndpoint, imageServiceEndpoint, maxPods, port, resolvConf } = configuration;
  return {
    settings,
    ...(file !== undefined || failSwapOn !== undefined ? { failSwapOn: failSwapOn ?? true } : {}),
    ...(configuration.rotateCertificates && { rotateCertificates: true }),
    ...(containerRuntimeEndpoint && { criEndpoint: containerRuntimeEndpoint }),
    ...(imageServiceEndpoint && { imageEndpoint: imageServiceEndpoint }),
    ...(taints && { taints: [...taints] }),
    ...(staticPodPath && { staticPodPath }),
    ...(staticPodURL && { staticPodURL }),
    ...(staticPodURLHeader && { staticPodURLHeader }),
    ...(maxPods !== undefined && { maxPods }),
    ...(port !== undefined && { kubeletPort: port }),
    ...(resolvConf !== undefined && { resolvConf }),
    ...servingFiles(configuration),
    ...healthServing(usualHealthServing, { host: configuration.healthzBindAddress, port: configuration.healthzPort }),
  };
}

function servingFiles(configuration: KubeletConfiguration): Pick<RunKubeletOptions, 'servingFiles'> {
  const { tlsCertFile: certFile, tlsPrivateKeyFile: keyFile, clientCAFile: clientCaFile } = configuration;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new Error('tlsCertFile and tlsPrivateKeyFile must be given together');
  const files = {
    ...(certFile && keyFile && { certificate: { certFile, keyFile } }),
    ...(clientCaFile && { clientCaFile }),
  };
  return Object.keys(files).length > 0 ? { servingFiles: files } : {};
}

/** Settings override earlier ones; port 0 disables the health server. */
export function healthServing(
  { host, port }: Partial<HealthServing> = {},
  stated: { readonly host?: string | undefined; readonly port?: number | undefined },
): Pick<RunKubeletOptions, 'health'> {
  const both = { host: stated.host ?? host ?? usualHealthServing.host, port: stated.port ?? port ?? 0 };
  return both.port === 0 ? {} : { health: both };
}

/** The document of a file that is valid. */
async function readConfigurationFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const document = parseYamlDocuments(await readFile(file))[0]?.value;
    parseKubeletConfiguration(document);
    return document as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new Error(`failed to load kubelet config file, path: ${file}, error: ${(error as Error).message}`);
  }
}
