import type { Container, Pod, PodStatus } from '../../generated/types/core-v1.js';
import { setPodLevelResourceDefaults } from './pod-resources.defaults.js';
import { setPodSpecDefaults } from './pod-spec.defaults.js';

/** Beyond the spec's own defaults, what a pod gets and a template does not. */
export function setPodDefaults(pod: Pod): void {
  const spec = (pod.spec ??= { containers: [] });
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  for (const container of containers) setRequestsFromLimits(container);
  setPodLevelResourceDefaults(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) for (const container of containers) setHostPorts(container);
  setPodSpecDefaults(spec);
  dropInitContainerAnnotations(pod);
  if (pod.status) mirrorAddresses(pod.status);
}

/** A limit without a request is the request too. */
function setRequestsFromLimits({ resources }: Container): void {
  for (const name in resources?.limits) {
    resources.requests ??= {};
    resources.requests[name] ??= resources.limits[name] as string;
  }
}

/** On the host's network a container's port is the host's. */
function setHostPorts({ ports }: Container): void {
  for (const port of ports ?? []) {
    if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
  }
}

/** Init containers once stood in annotations, which are dropped so that no old copy can disagree with the spec. */
function dropInitContainerAnnotations({ metadata }: Pod): void {
  for (const version of ['beta', 'alpha']) {
    delete metadata.annotations?.[`pod.${version}.kubernetes.io/init-containers`];
    delete metadata.annotations?.[`pod.${version}.kubernetes.io/init-container-statuses`];
  }
}

/** `podIP` is the first of `podIPs`, `hostIP` of `hostIPs`; where they differ, the single field decides. */
function mirrorAddresses(status: PodStatus): void {
  if (!status.podIP) {
    const first = status.podIPs?.[0]?.ip;
    if (first) status.podIP = first;
  } else if (status.podIPs?.[0]?.ip !== status.podIP) {
    status.podIPs = [{ ip: status.podIP }];
  }
}
