import {
  type Container,
  isTerminalPhase,
  type ObjectReference,
  type Pod,
  type Service,
  type ServicePort,
} from '@coracle/api';
import { parseIp } from '@coracle/apimachinery';

/** Terminated pods and those without an address receive no traffic. */
export function hasEndpoint(pod: Pod, includeTerminating: boolean): boolean {
  const { phase, podIPs = [] } = pod.status ?? {};
  if (isTerminalPhase(phase) || podIPs.length === 0) return false;
  return includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** The pod's first address of that family. */
export function podAddress({ status }: Pod, family: string): string | undefined {
  const version = family === 'IPv6' ? 6 : 4;
  return status?.podIPs?.map(({ ip }) => ip).find((ip) => parseIp(ip)?.family === version);
}

/** Only pods with the service as their subdomain have DNS names of their own. */
export function podHostname(pod: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = pod.spec ?? {};
  if (!hostname || subdomain !== service.metadata.name) return undefined;
  return pod.metadata.namespace === service.metadata.namespace ? hostname : undefined;
}

export function podReference({ metadata }: Pod): ObjectReference {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { kind: 'Pod', namespace, name, uid };
}

/** The port number of a pod for a port of the service; `undefined` if the pod has none of that name. */
export function targetPort(
  { spec }: Pod,
  { targetPort: target, port, protocol = 'TCP' }: ServicePort,
): number | undefined {
  if (typeof target === 'number') return target;
  if (target === undefined) return port;
  const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)];
  return containers
    .flatMap(({ ports = [] }) => ports)
    .find((one) => one.name === target && (one.protocol ?? 'TCP') === protocol)?.containerPort;
}
