import type { KubeletSettings } from '../settings.js';
import {
  amounts,
  bytes,
  duration,
  flag,
  listOf,
  notNegative,
  oneOf,
  portNumber,
  positive,
  type Read,
  text,
  texts,
  whole,
} from './field-readers.js';
import { knownFields } from './known-fields.js';
import { clientCaFileOf, readAuthentication, readAuthorization, readCrashLoopBackOff } from './nested-fields.js';

/** The settings of a `KubeletConfiguration`, and its fields without effect. */
export interface KubeletConfiguration {
  readonly settings: Partial<KubeletSettings>;
  readonly staticPodPath?: string;
  readonly staticPodURL?: string;
  readonly staticPodURLHeader?: Readonly<Record<string, readonly string[]>>;
  readonly maxPods?: number;
  readonly resolvConf?: string;
  readonly containerRuntimeEndpoint?: string;
  readonly imageServiceEndpoint?: string;
  readonly registerWithTaints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** Whether a machine with swap is rejected; true by default. */
  readonly failSwapOn?: boolean;
  /** Whether the client certificate is renewed before it expires; false by default. */
  readonly rotateCertificates?: boolean;
  readonly address?: string;
  readonly port?: number;
  /** The serving certificate of the kubelet, and its key. */
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  /** CA bundle that verifies certificates of clients: `authentication.x509.clientCAFile`. */
  readonly clientCAFile?: string;
  /** Address of the health server: 127.0.0.1:10248 by default; port 0 disables it. */
  readonly healthzBindAddress?: string;
  readonly healthzPort?: number;
  /** Names of fields that are set and have no effect. */
  readonly withoutEffect: readonly string[];
}

/** Containers never swap. */
const swapBehavior: Read = (value, field) => {
  const behavior = typeof value === 'object' && value !== null ? Reflect.get(value, 'swapBehavior') : undefined;
  if (behavior === undefined || behavior === '' || behavior === 'NoSwap') return undefined;
  throw new Error(`${field}.swapBehavior: ${JSON.stringify(behavior)} is not supported; use "NoSwap"`);
};

/** The fields that are settings of the kubelet under the same name. */
const settingFields: Readonly<Record<string, Read>> = {
  systemReserved: amounts,
  kubeReserved: amounts,
  evictionHard: amounts,
  evictionSoft: amounts,
  evictionSoftGracePeriod: amounts,
  evictionMinimumReclaim: amounts,
  evictionPressureTransitionPeriod: duration,
  evictionMaxPodGracePeriod: whole,
  imageGCHighThresholdPercent: whole,
  imageGCLowThresholdPercent: whole,
  imageMinimumGCAge: duration,
  imageMaximumGCAge: duration,
  syncFrequency: duration,
  maxParallelImagePulls: positive,
  registryPullQPS: notNegative,
  registryBurst: notNegative,
  cgroupRoot: text,
  cgroupDriver: oneOf('cgroupfs', 'systemd'),
  cpuCFSQuota: flag,
  cpuCFSQuotaPeriod: duration,
  podPidsLimit: whole,
  seccompDefault: flag,
  allowedUnsafeSysctls: texts,
  clusterDNS: texts,
  clusterDomain: text,
  shutdownGracePeriod: duration,
  shutdownGracePeriodCriticalPods: duration,
  shutdownGracePeriodByPodPriority: listOf({ priority: whole, shutdownGracePeriodSeconds: whole }),
  cpuManagerPolicy: oneOf('none', 'static'),
  cpuManagerPolicyOptions: amounts,
  reservedSystemCPUs: text,
  memoryManagerPolicy: oneOf('None', 'Static'),
  reservedMemory: listOf({ numaNode: whole, limits: amounts }),
  topologyManagerPolicy: oneOf('none', 'best-effort', 'restricted', 'single-numa-node'),
  topologyManagerScope: oneOf('container', 'pod'),
  enableSystemLogHandler: flag,
  enableServer: flag,
  enableDebuggingHandlers: flag,
  authentication: readAuthentication,
  authorization: readAuthorization,
  registerNode: flag,
  podsPerCore: notNegative,
  crashLoopBackOff: readCrashLoopBackOff,
  podLogsDir: text,
  containerLogMaxSize: bytes,
  containerLogMaxFiles: whole,
  containerLogMonitorInterval: duration,
  nodeStatusUpdateFrequency: duration,
  nodeStatusReportFrequency: duration,
  nodeLeaseDurationSeconds: whole,
};

/** Fields that are settings of the node elsewhere. */
const nodeFields: Readonly<Record<string, Read>> = {
  staticPodPath: text,
  staticPodURL: text,
  staticPodURLHeader: (value) => value,
  maxPods: whole,
  resolvConf: text,
  containerRuntimeEndpoint: text,
  imageServiceEndpoint: text,
  registerWithTaints: (value) => value,
  failSwapOn: flag,
  rotateCertificates: flag,
  memorySwap: swapBehavior,
  address: text,
  port: whole,
  tlsCertFile: text,
  tlsPrivateKeyFile: text,
  healthzBindAddress: text,
  healthzPort: portNumber,
};

const apiVersion = 'kubelet.config.k8s.io/v1beta1';

/** Parses a configuration file. Throws an error with the problem. */
export function parseKubeletConfiguration(document: unknown): KubeletConfiguration {
  if (typeof document !== 'object' || document === null) throw new Error('it contains no object');
  const { apiVersion: version, kind, ...fields } = document as Record<string, unknown>;
  if (version !== apiVersion || kind !== 'KubeletConfiguration')
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)}`);
  const settings: Record<string, unknown> = {};
  const node: Record<string, unknown> = {};
  const withoutEffect: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    if (Object.hasOwn(settingFields, name)) settings[name] = settingFields[name]?.(value, name);
    else if (Object.hasOwn(nodeFields, name)) node[name] = nodeFields[name]?.(value, name);
    else if (name === 'serializeImagePulls') flag(value, name);
    else if (knownFields.has(name)) withoutEffect.push(name);
    else throw new Error(`strict decoding error: unknown field "${name}"`);
  }
  const clientCAFile = clientCaFileOf(fields['authentication']);
  if (clientCAFile) node['clientCAFile'] = clientCAFile;
  return { ...node, settings: { ...settings, ...pullLimits(fields) }, withoutEffect };
}

/** Images are pulled one at a time, unless the fields allow parallel pulls or limit their number. */
function pullLimits({
  serializeImagePulls: isSerial,
  maxParallelImagePulls: most,
}: Readonly<Record<string, unknown>>): Partial<KubeletSettings> {
  if (isSerial === true && typeof most === 'number' && most > 1)
    throw new Error('maxParallelImagePulls: cannot be larger than 1 unless serializeImagePulls is set to false');
  const isUnlimited = isSerial === false && (most === undefined || most === null);
  return isUnlimited ? { maxParallelImagePulls: Number.POSITIVE_INFINITY } : {};
}
