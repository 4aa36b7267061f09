import type { Endpoint } from './endpoint.js';
import type { ServicePort } from './service-port.js';

/** The node and zone that choose. */
export interface Topology {
  readonly nodeName: string;
  /** Its zone; empty if it has none. */
  readonly zone: string;
}

export interface ChosenEndpoints {
  /** For traffic that may go anywhere. */
  readonly cluster: readonly Endpoint[];
  /** For traffic that must stay on the node. */
  readonly local: readonly Endpoint[];
  /** Whether there is an endpoint anywhere, so that local traffic without one is dropped, not refused. */
  readonly any: boolean;
}

/**
 * Which endpoints get traffic. Those that are ready; without one, those that still serve while they terminate, so that
 * the last pod of a rollout can finish. Hints narrow the choice only while every ready endpoint has them.
 */
export function chooseEndpoints(
  endpoints: readonly Endpoint[],
  port: Pick<ServicePort, 'internalLocal' | 'externalLocal'>,
  topology: Topology,
): ChosenEndpoints {
  const isLocal = ({ nodeName }: Endpoint) => nodeName !== '' && nodeName === topology.nodeName;
  const cluster = readyOrTerminating(endpoints, (ready) => nearby(ready, topology));
  const usesLocal = port.internalLocal || port.externalLocal;
  const local = usesLocal ? readyOrTerminating(endpoints.filter(isLocal), (ready) => ready) : [];
  return { cluster, local, any: cluster.length > 0 };
}

function readyOrTerminating(
  endpoints: readonly Endpoint[],
  narrow: (ready: readonly Endpoint[]) => readonly Endpoint[],
): readonly Endpoint[] {
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  return ready.length > 0 ? narrow(ready) : endpoints.filter(({ serving, terminating }) => serving && terminating);
}

/** Those with hints for this node, else for its zone; all of them where the hints cannot be used. */
function nearby(ready: readonly Endpoint[], { nodeName, zone }: Topology): readonly Endpoint[] {
  if (ready.every(({ nodes }) => nodes.length > 0)) {
    const own = ready.filter(({ nodes }) => nodes.includes(nodeName));
    if (own.length > 0) return own;
  }
  if (zone !== '' && ready.every(({ zones }) => zones.length > 0)) {
    const own = ready.filter(({ zones }) => zones.includes(zone));
    if (own.length > 0) return own;
  }
  return ready;
}
