import type { Pod } from '@coracle/api';
import {
  type DNSConfig,
  type IDMapping,
  type LinuxPodSandboxConfig,
  type PodSandboxConfig,
  type PortMapping,
  ProfileType,
  Protocol,
} from '@coracle/cri';
import { ConfigError } from '../config-error.js';
import { podLogDirectory } from '../logs/log-directory.js';
import { fullNameOf, hostnameOf } from '../pod-hostname.js';
import { podLabels } from '../runtime-labels.js';
import { namespacesOf } from './namespaces.js';
import { groupsOf, supplementalGroupsPolicy } from './security-context.js';

/** Inputs of a sandbox configuration besides its pod. */
export interface SandboxParts {
  readonly attempt: number;
  /** `/var/log/pods`. */
  readonly podLogsDir: string;
  /** Cgroup parent of all its containers; the runtime's own if absent. */
  readonly cgroupParent?: string;
  /** Its resolv.conf; the runtime's own if absent. */
  readonly dnsConfig?: DNSConfig;
  /** The user namespace of the pod, if it has one. */
  readonly idMapping?: IDMapping;
  /** `cluster.local`. */
  readonly clusterDomain: string;
}

/**
 * The sandbox configuration of a pod for the runtime. Throws a `ConfigError` if the pod's configuration is invalid.
 */
export function sandboxConfig(pod: Pod, parts: SandboxParts): PodSandboxConfig {
  const { name = '', namespace = '', uid = '', labels, annotations } = pod.metadata;
  const { attempt, podLogsDir, dnsConfig, clusterDomain } = parts;
  const hostname = kernelHostname(pod, clusterDomain);
  const portMappings = portMappingsOf(pod);
  return {
    metadata: { name, namespace, uid, attempt },
    ...(hostname && { hostname }),
    logDirectory: podLogDirectory(pod, podLogsDir),
    ...(dnsConfig && { dnsConfig }),
    ...(portMappings.length > 0 && { portMappings }),
    labels: { ...labels, ...podLabels(pod) },
    annotations: annotations ?? {},
    linux: linuxConfig(pod, parts),
  };
}

function linuxConfig(pod: Pod, { cgroupParent, idMapping }: SandboxParts): LinuxPodSandboxConfig {
  const { securityContext: own = {}, containers = [], initContainers = [] } = pod.spec ?? {};
  const { runAsUser, runAsGroup, sysctls = [], seLinuxOptions } = own;
  const groups = groupsOf(pod);
  const policy = supplementalGroupsPolicy(pod);
  return {
    ...(cgroupParent && { cgroupParent }),
    ...(sysctls.length > 0 && { sysctls: Object.fromEntries(sysctls.map(({ name, value }) => [name, value])) }),
    securityContext: {
      namespaceOptions: namespacesOf(pod, idMapping && { idMapping }),
      privileged: [...containers, ...initContainers].some(({ securityContext }) => securityContext?.privileged),
      seccomp: { profileType: ProfileType.RuntimeDefault },
      ...(runAsUser !== undefined && { runAsUser: { value: runAsUser } }),
      ...(runAsUser !== undefined && runAsGroup !== undefined && { runAsGroup: { value: runAsGroup } }),
      ...(groups.length > 0 && { supplementalGroups: groups }),
      ...(policy !== undefined && { supplementalGroupsPolicy: policy }),
      ...(seLinuxOptions && { selinuxOptions: seLinuxOptions }),
    },
  };
}

const mostKernelHostname = 64;

/** The hostname in the pod; the node's for host-network pods. */
function kernelHostname(pod: Pod, clusterDomain: string): string {
  const { hostNetwork, setHostnameAsFQDN } = pod.spec ?? {};
  if (hostNetwork) return '';
  const full = fullNameOf(pod, clusterDomain);
  if (!setHostnameAsFQDN || full === undefined) return hostnameOf(pod);
  if (full.length > mostKernelHostname)
    throw new ConfigError(
      `failed to construct FQDN from Pod hostname and cluster domain, FQDN ${full} is too long (${mostKernelHostname} characters is the max, ${full.length} characters requested)`,
    );
  return full;
}

const protocols: Readonly<Record<string, Protocol>> = Protocol;

function portMappingsOf({ spec }: Pod): PortMapping[] {
  if (spec?.hostNetwork) return [];
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.flatMap(({ hostPort, containerPort, protocol = 'TCP', hostIP }) =>
    hostPort
      ? [{ hostPort, containerPort, protocol: protocols[protocol] ?? Protocol.TCP, ...(hostIP && { hostIp: hostIP }) }]
      : [],
  );
}
