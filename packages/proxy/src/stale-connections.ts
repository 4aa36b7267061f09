import type { StaleConnections } from './packet-filter.js';
import type { Slots } from './plan-service.js';
import type { Family, ServicePort } from './service-port.js';

/** A port as in the kernel. */
export interface ServedPort {
  readonly port: ServicePort;
  readonly slots: Slots;
}

/**
 * The UDP flows that become stale when a port changes. TCP connections end by themselves; a UDP client that continues
 * to send would stay with a removed endpoint, or without any if there was none before.
 */
export function staleConnections(
  before: ServedPort | undefined,
  after: ServedPort | undefined,
  family: Family,
): StaleConnections[] {
  const port = (before ?? after)?.port;
  if (port?.protocol !== 'udp') return [];
  const targets = (served: ServedPort | undefined) =>
    new Set([...(served?.slots.cluster ?? []), ...(served?.slots.local ?? [])]);
  const old = targets(before);
  const now = targets(after);
  const frontends = frontendsOf(port, family);
  if (old.size === 0) return after && now.size > 0 ? frontends : [];
  return [...old]
    .filter((target) => !now.has(target))
    .flatMap((target) => frontends.map((frontend) => ({ ...frontend, endpoint: target.split(' . ')[0] })));
}

function frontendsOf(port: ServicePort, family: Family): StaleConnections[] {
  const { protocol } = port;
  const addresses = [...port.clusterIps, ...port.externalIps, ...port.loadBalancerIps];
  const shared = { protocol, family, endpoint: undefined };
  return [
    ...addresses.map((address) => ({ ...shared, address, port: port.port })),
    ...(port.nodePort ? [{ ...shared, address: undefined, port: port.nodePort }] : []),
  ];
}
