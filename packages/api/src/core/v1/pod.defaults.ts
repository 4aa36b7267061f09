import type { Container, Pod, PodStatus } from '../../generated/types/core-v1.js';
import { setPodLevelResourceDefaults } from './pod-resources.defaults.js';
import { setPodSpecDefaults } from './pod-spec.defaults.js';

/** Defaults of a pod that templates do not have, in addition to those of the spec. */
export function setPodDefaults(pod: Pod): void {
  const spec = (pod.spec ??= { containers: [] });
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  for (const container of containers) setRequestsFromLimits(container);
  setPodLevelResourceDefaults(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) for (const container of containers) setHostPorts(container);
  setPodSpecDefaults(spec);
  setPodDefaultsBesideSpec(pod);
}

export function setPodDefaultsBesideSpec({ metadata, status }: Pod): void {
  if (metadata.annotations) dropInitContainerAnnotations(metadata.annotations);
  if (status) mirrorAddresses(status);
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

const initContainerAnnotations = ['beta', 'alpha'].flatMap((version) => [
  `pod.${version}.kubernetes.io/init-containers`,
  `pod.${version}.kubernetes.io/init-container-statuses`,
]);

/** Init containers once stood in annotations, which are dropped so that no old copy can disagree with the spec. */
function dropInitContainerAnnotations(annotations: Record<string, string>): void {
  for (const name of initContainerAnnotations) delete annotations[name];
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
