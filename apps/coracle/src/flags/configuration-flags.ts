import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseBoolean, parseList } from './flag-values.js';
import {
  addIdleFlags,
  addRefusedFlags,
  flagsWithoutEffect,
  flagValue,
  idleProcessFlags,
  type RefusedFlags,
} from './idle-flags.js';

type Fields = Readonly<Record<string, unknown>>;
type Kind = readonly [placeholder: string, parse: (text: string) => unknown];

const text: Kind = ['value', (value) => value];
const whole: Kind = ['n', parseWhole];
const bool: Kind = ['bool', parseBoolean];
const duration: Kind = ['duration', (value) => value];
const amounts: Kind = ['key=value,…', (value) => parsePairs(value, '=')];
const thresholds: Kind = ['signal<value,…', (value) => parsePairs(value, '<')];

/** Flags of upstream's kubelet that set one field of a KubeletConfiguration each. */
const configurationFlags: Readonly<Record<string, readonly [field: string, kind: Kind]>> = {
  'anonymous-auth': ['authentication.anonymous.enabled', bool],
  'authentication-token-webhook': ['authentication.webhook.enabled', bool],
  'authentication-token-webhook-cache-ttl': ['authentication.webhook.cacheTTL', duration],
  'authorization-mode': ['authorization.mode', text],
  'authorization-webhook-cache-authorized-ttl': ['authorization.webhook.cacheAuthorizedTTL', duration],
  'authorization-webhook-cache-unauthorized-ttl': ['authorization.webhook.cacheUnauthorizedTTL', duration],
  'cgroup-driver': ['cgroupDriver', text],
  'client-ca-file': ['authentication.x509.clientCAFile', text],
  'container-log-max-files': ['containerLogMaxFiles', whole],
  'container-log-max-size': ['containerLogMaxSize', text],
  'cpu-cfs-quota': ['cpuCFSQuota', bool],
  'cpu-cfs-quota-period': ['cpuCFSQuotaPeriod', duration],
  'cpu-manager-policy': ['cpuManagerPolicy', text],
  'cpu-manager-policy-options': ['cpuManagerPolicyOptions', amounts],
  'enable-debugging-handlers': ['enableDebuggingHandlers', bool],
  'enable-server': ['enableServer', bool],
  'eviction-hard': ['evictionHard', thresholds],
  'eviction-max-pod-grace-period': ['evictionMaxPodGracePeriod', whole],
  'eviction-minimum-reclaim': ['evictionMinimumReclaim', amounts],
  'eviction-pressure-transition-period': ['evictionPressureTransitionPeriod', duration],
  'eviction-soft': ['evictionSoft', thresholds],
  'eviction-soft-grace-period': ['evictionSoftGracePeriod', amounts],
  'fail-swap-on': ['failSwapOn', bool],
  'image-gc-high-threshold': ['imageGCHighThresholdPercent', whole],
  'image-gc-low-threshold': ['imageGCLowThresholdPercent', whole],
  'kube-reserved': ['kubeReserved', amounts],
  'memory-manager-policy': ['memoryManagerPolicy', text],
  'minimum-image-ttl-duration': ['imageMinimumGCAge', duration],
  'node-status-update-frequency': ['nodeStatusUpdateFrequency', duration],
  'pod-max-pids': ['podPidsLimit', whole],
  'pods-per-core': ['podsPerCore', whole],
  'register-node': ['registerNode', bool],
  'registry-burst': ['registryBurst', whole],
  'registry-qps': ['registryPullQPS', whole],
  'reserved-cpus': ['reservedSystemCPUs', text],
  'rotate-certificates': ['rotateCertificates', bool],
  'seccomp-default': ['seccompDefault', bool],
  'serialize-image-pulls': ['serializeImagePulls', bool],
  'sync-frequency': ['syncFrequency', duration],
  'system-reserved': ['systemReserved', amounts],
  'tls-cert-file': ['tlsCertFile', text],
  'tls-private-key-file': ['tlsPrivateKeyFile', text],
  'topology-manager-policy': ['topologyManagerPolicy', text],
  'topology-manager-scope': ['topologyManagerScope', text],
};

/** Flags of upstream's kubelet that have no effect here. */
const withoutEffect: readonly string[] = [
  ...idleProcessFlags,
  ...['address', 'cgroups-per-qos', 'cloud-provider', 'contention-profiling', 'cpu-manager-reconcile-period'],
  ...['enable-controller-attach-detach', 'enforce-node-allocatable', 'event-burst', 'event-qps'],
  ...['exit-on-lock-contention', 'feature-gates', 'file-check-frequency', 'global-housekeeping-interval'],
  ...['hairpin-mode', 'housekeeping-interval', 'http-check-frequency', 'kernel-memcg-notification'],
  ...['kube-api-burst', 'kube-api-content-type', 'kube-api-qps', 'kube-reserved-cgroup', 'kubelet-cgroups'],
  ...['local-storage-capacity-isolation', 'lock-file', 'make-iptables-util-chains', 'max-open-files'],
  ...['maximum-dead-containers', 'maximum-dead-containers-per-container', 'minimum-container-ttl-duration'],
  ...['node-status-max-images', 'oom-score-adj', 'pod-cidr', 'protect-kernel-defaults', 'provider-id'],
  ...['qos-reserved', 'read-only-port', 'rotate-server-certificates', 'runtime-cgroups', 'runtime-request-timeout'],
  ...['streaming-connection-idle-timeout', 'system-cgroups', 'system-reserved-cgroup', 'tls-cipher-suites'],
  ...['tls-curve-preferences', 'tls-min-version', 'topology-manager-policy-options', 'volume-plugin-dir'],
  ...['volume-stats-agg-period'],
];

/** Flags of this or earlier releases that would change what the kubelet does, and why they are refused. */
const refused: RefusedFlags = {
  'config-dir': 'drop-in files are not supported; put their fields into the file of --config',
  'container-runtime': 'it was removed in v1.27; use --container-runtime-endpoint',
  'manifest-url-header': 'set staticPodURLHeader in the file of --config',
  'network-plugin': 'it was removed in v1.24; the container runtime calls the CNI plugins',
  'pod-infra-container-image':
    'it was removed in v1.35; set the sandbox image in the configuration of the container runtime',
  'reserved-memory': 'set reservedMemory in the file of --config',
};

export function addConfigurationFlags(command: Command): Command {
  for (const [name, [field, [placeholder, parse]]] of Object.entries(configurationFlags)) {
    const value = parse === parseBoolean ? '[bool]' : `<${placeholder}>`;
    command.addOption(new Option(`--${name} ${value}`, `${field} of the configuration`).argParser(parse));
  }
  addIdleFlags(command, withoutEffect);
  addRefusedFlags(command, refused);
  return command;
}

/** The set flags that have no effect. */
export function idleConfigurationFlags(flags: object): string[] {
  return flagsWithoutEffect(flags, withoutEffect);
}

/** The settings of a configuration file, overridden by flags. */
export function withConfigurationFlags(configuration: Fields, flags: object): Fields {
  return Object.entries(configurationFlags).reduce((all, [name, [field]]) => {
    const value = flagValue(flags, name);
    return value === undefined ? all : setField(all, field.split('.'), value);
  }, configuration);
}

function setField(fields: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length === 0) return { ...fields, [name]: value };
  const inner = fields[name];
  return { ...fields, [name]: setField(typeof inner === 'object' && inner !== null ? { ...inner } : {}, rest, value) };
}

function parseWhole(value: string): number {
  if (!/^-?\d+$/.test(value)) throw new InvalidArgumentError('it must be a whole number');
  return Number(value);
}

function parsePairs(list: string, separator: string): Record<string, string> {
  return Object.fromEntries(
    parseList(list).map((pair) => {
      const at = pair.indexOf(separator);
      if (at <= 0) throw new InvalidArgumentError(`${JSON.stringify(pair)} is not of the form key${separator}value`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
