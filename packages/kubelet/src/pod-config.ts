import type { Container, Pod } from '@coracle/api';
import {
  type ContainerConfig,
  type LinuxContainerSecurityContext,
  NamespaceMode,
  type NamespaceOption,
  type PodSandboxConfig,
  type PortMapping,
  Protocol,
} from '@coracle/cri';
import { expandVariables } from './environment/expand-variables.js';
import { containerAnnotations, containerLabels, podLabels } from './runtime-labels.js';
import type { ContainerFilesystem } from './volumes/container-filesystem.js';

const encoder = new TextEncoder();

/** What the runtime is asked to make a pod's sandbox from. */
export function sandboxConfig(pod: Pod, attempt: number): PodSandboxConfig {
  const { name = '', namespace = '', uid = '', labels, annotations } = pod.metadata;
  const { hostNetwork = false, hostname } = pod.spec ?? {};
  const portMappings = portMappingsOf(pod);
  return {
    metadata: { name, namespace, uid, attempt },
    ...(!hostNetwork && { hostname: hostname ?? name.slice(0, 63) }),
    logDirectory: logDirectory(pod),
    ...(portMappings.length > 0 && { portMappings }),
    labels: { ...labels, ...podLabels(pod) },
    annotations: annotations ?? {},
    linux: { securityContext: { namespaceOptions: namespacesOf(pod) } },
  };
}

/** What a container is made from, beside its pod. */
export interface ContainerParts {
  readonly container: Container;
  readonly attempt: number;
  /** All that it sees. */
  readonly variables: ReadonlyMap<string, string>;
  readonly filesystem: ContainerFilesystem;
}

export function containerConfig(
  pod: Pod,
  { container, attempt, variables, filesystem }: ContainerParts,
): ContainerConfig {
  const expand = (text: string) => expandVariables(text, (name) => variables.get(name));
  return {
    metadata: { name: container.name, attempt },
    image: { image: container.image ?? '', userSpecifiedImage: container.image ?? '' },
    command: (container.command ?? []).map(expand),
    args: (container.args ?? []).map(expand),
    ...(container.workingDir && { workingDir: container.workingDir }),
    envs: Array.from(variables, ([key, value]) => ({ key, value: encoder.encode(value) })),
    ...filesystem,
    labels: containerLabels(pod, container),
    annotations: containerAnnotations(pod, container, attempt),
    logPath: `${container.name}/${attempt}.log`,
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    linux: { securityContext: { namespaceOptions: namespacesOf(pod), ...identityOf(pod, container) } },
  };
}

/** Whom the processes of the container run as. */
function identityOf({ spec }: Pod, { securityContext: own = {} }: Container): LinuxContainerSecurityContext {
  const { runAsUser, runAsGroup, supplementalGroups, fsGroup } = spec?.securityContext ?? {};
  const user = own.runAsUser ?? runAsUser;
  const group = own.runAsGroup ?? runAsGroup;
  const groups = [...(supplementalGroups ?? []), ...(fsGroup === undefined ? [] : [fsGroup])];
  return {
    ...(user !== undefined && { runAsUser: { value: user } }),
    ...(group !== undefined && { runAsGroup: { value: group } }),
    ...(groups.length > 0 && { supplementalGroups: groups }),
    ...(own.privileged && { privileged: true }),
    ...(own.readOnlyRootFilesystem && { readonlyRootfs: true }),
  };
}

function logDirectory({ metadata }: Pod): string {
  return `/var/log/pods/${metadata.namespace}_${metadata.name}_${metadata.uid}`;
}

function namespacesOf({ spec }: Pod): NamespaceOption {
  const node = (shared: boolean | undefined) => (shared ? NamespaceMode.NODE : NamespaceMode.POD);
  const pid = spec?.hostPID || spec?.shareProcessNamespace ? node(spec.hostPID) : NamespaceMode.CONTAINER;
  return { network: node(spec?.hostNetwork), ipc: node(spec?.hostIPC), pid };
}

const protocols: Readonly<Record<string, Protocol>> = Protocol;

function portMappingsOf({ spec }: Pod): PortMapping[] {
  if (spec?.hostNetwork) return [];
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.flatMap(({ hostPort, containerPort, protocol = 'TCP', hostIP }) =>
    hostPort
      ? [{ hostPort, containerPort, protocol: protocols[protocol] ?? Protocol.TCP, ...(hostIP && { hostIp: hostIP }) }]
      : [],
  );
}
