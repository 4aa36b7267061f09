import { readFile } from 'node:fs/promises';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { type HealthServing, type RunKubeletOptions, usualHealthServing } from '@coracle/cluster';
import { type KubeletConfiguration, parseKubeletConfiguration } from '@coracle/kubelet';

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
  Partial<Pick<RunKubeletOptions, 'criEndpoint'>>;

/** Reads a KubeletConfiguration file, and returns the fields that have no effect; without a file nothing is set. */
export async function readConfiguredNode(file: string | undefined): Promise<ConfiguredNode> {
  if (file === undefined) return { settings: {}, health: usualHealthServing };
  const configuration = await parseFile(file);
  const { settings, withoutEffect, failSwapOn = true } = configuration;
  if (withoutEffect.length > 0) process.stderr.write(`coracle: without effect here: ${withoutEffect.join(', ')}\n`);
  const { staticPodPath, staticPodURL, staticPodURLHeader, registerWithTaints: taints } = configuration;
  const { containerRuntimeEndpoint, imageServiceEndpoint, maxPods, port, resolvConf } = configuration;
  return {
    settings,
    failSwapOn,
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

/** What is stated over what there was; port 0 switches the health server off. */
export function healthServing(
  { host, port }: Partial<HealthServing> = {},
  stated: { readonly host?: string | undefined; readonly port?: number | undefined },
): Pick<RunKubeletOptions, 'health'> {
  const both = { host: stated.host ?? host ?? usualHealthServing.host, port: stated.port ?? port ?? 0 };
  return both.port === 0 ? {} : { health: both };
}

async function parseFile(file: string): Promise<KubeletConfiguration> {
  try {
    return parseKubeletConfiguration(parseYamlDocuments(await readFile(file))[0]?.value);
  } catch (error) {
    throw new Error(`failed to load kubelet config file, path: ${file}, error: ${(error as Error).message}`);
  }
}
