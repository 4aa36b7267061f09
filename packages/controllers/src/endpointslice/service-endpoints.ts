import type { discoveryv1, Node, Pod, Service, ServicePort } from '@coracle/api';
import { hasEndpoint, podAddress, podHostname, podReference, targetPort } from '../pod-endpoint.js';
import { isReady } from '../pod-state.js';
import { type EndpointGroup, portsKey } from './endpoint-group.js';
import { withHints } from './traffic-hints.js';
import { wantsTopologyHints, zoneLabel } from './zone-shares.js';

export interface EndpointsView {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly nodeOf: (name: string) => Node | undefined;
}

export interface ServiceEndpoints {
  readonly groups: readonly EndpointGroup[];
  /** Pods left out because their node is not known yet. */
  readonly withoutNode: readonly Pod[];
}

/** The desired endpoints of one address family. */
export function serviceEndpoints(view: EndpointsView, family: string): ServiceEndpoints {
  const groups = new Map<string, EndpointGroup>();
  const withoutNode: Pod[] = [];
  for (const pod of view.pods) {
    const address = hasEndpoint(pod, true) ? podAddress(pod, family) : undefined;
    if (address === undefined) continue;
    const node = view.nodeOf(pod.spec?.nodeName ?? '');
    if (!node && pod.spec?.nodeName && !view.service.spec?.publishNotReadyAddresses) {
      withoutNode.push(pod);
      continue;
    }
    const ports = portsOf(view.service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpointOf(pod, view.service, { address, node }));
  }
  // Topology-aware hints depend on all slices, and are set later.
  const distribution = wantsTopologyHints(view.service) ? undefined : view.service.spec?.trafficDistribution;
  const hinted = [...groups.values()].map(({ ports, endpoints }) => ({
    ports,
    endpoints: withHints(endpoints, distribution),
  }));
  return { groups: hinted, withoutNode };
}

function portsOf({ spec }: Service, pod: Pod): discoveryv1.EndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPort(pod, servicePort);
    return port === undefined ? [] : [endpointPort(servicePort, port)];
  });
}

function endpointPort(
  { name = '', protocol = 'TCP', appProtocol }: ServicePort,
  port: number,
): discoveryv1.EndpointPort {
  return { name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) };
}

function endpointOf(
  pod: Pod,
  service: Service,
  { address, node }: { readonly address: string; readonly node: Node | undefined },
): discoveryv1.Endpoint {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = podHostname(pod, service);
  const zone = node?.metadata.labels?.[zoneLabel];
  const nodeName = pod.spec?.nodeName;
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    ...(nodeName && { nodeName }),
    targetRef: podReference(pod),
    ...(zone !== undefined && { zone }),
  };
}
