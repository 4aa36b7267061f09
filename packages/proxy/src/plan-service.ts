import type { ChosenEndpoints } from './choose-endpoints.js';
import type { Endpoint } from './endpoint.js';
import { type Pick, pickChain, rememberChain } from './proxy-table.js';
import type { ServicePort } from './service-port.js';
import { assignSlots } from './slots.js';

/** The slots of endpoints, kept between plans so that few change. */
export interface Slots {
  readonly cluster: readonly string[];
  readonly local: readonly string[];
}

/** An element of a map, or of a set if it has no value. */
export interface Element {
  readonly map: string;
  readonly key: string;
  readonly value: string;
}

export interface PortPlan {
  readonly elements: readonly Element[];
  readonly slots: Slots;
}

export interface PortInput {
  readonly port: ServicePort;
  readonly chosen: ChosenEndpoints;
  readonly nodeName: string;
  /** Of the previous plan. */
  readonly previous: Slots | undefined;
}

/** All elements for one port of a service. */
export function planServicePort(input: PortInput): PortPlan {
  const { port, chosen, previous } = input;
  const slots = {
    cluster: assignSlots(previous?.cluster ?? [], chosen.cluster.map(targetOf)),
    local: assignSlots(previous?.local ?? [], chosen.local.map(targetOf)),
  };
  const context: Context = { port, slots, any: chosen.any };
  const external = [...port.externalIps, ...port.loadBalancerIps];
  const elements = [
    ...port.clusterIps.flatMap((address) => clusterAddress(context, address)),
    ...external.flatMap((address) => externalAddress(context, `${address} . ${port.protocol} . ${port.port}`, service)),
    ...(port.nodePort ? externalAddress(context, `${port.protocol} . ${port.nodePort}`, nodePort) : []),
    ...firewall(port),
    ...hairpins(input),
  ];
  return { elements, slots };
}

interface Context {
  readonly port: ServicePort;
  readonly slots: Slots;
  readonly any: boolean;
}

/** The differences between frontends with an address and node ports: the maps that they are in. */
interface Frontend {
  readonly map: string;
  readonly inside: string;
  readonly outside: string;
  readonly unserved: string;
  readonly sticky: string;
  readonly endpoints: string;
  readonly localEndpoints: string;
  readonly chooseLocal: string;
  readonly pick: Pick;
  readonly pickLocal: Pick;
}

const service: Frontend = {
  map: 'services',
  inside: 'local-services-inside',
  outside: 'local-services-outside',
  unserved: 'unserved',
  sticky: 'sticky',
  endpoints: 'endpoints',
  localEndpoints: 'local-endpoints',
  chooseLocal: 'choose-local',
  pick: 'external',
  pickLocal: 'local',
};

const nodePort: Frontend = {
  map: 'node-ports',
  inside: 'local-node-ports-inside',
  outside: 'local-node-ports-outside',
  unserved: 'unserved-node-ports',
  sticky: 'sticky-node-ports',
  endpoints: 'node-port-endpoints',
  localEndpoints: 'local-node-port-endpoints',
  chooseLocal: 'choose-local-node-port',
  pick: 'node-port',
  pickLocal: 'local-node-port',
};

function clusterAddress({ port, slots, any }: Context, address: string): Element[] {
  const key = `${address} . ${port.protocol} . ${port.port}`;
  if (!any) return [refuse(service, key)];
  const targets = port.internalLocal ? slots.local : slots.cluster;
  if (targets.length === 0) return [{ map: service.map, key, value: 'drop' }];
  return [
    { map: service.map, key, value: goto('cluster', targets.length, port) },
    ...numbered(service.endpoints, key, targets),
    ...stickiness(service, key, port),
  ];
}

function externalAddress({ port, slots, any }: Context, key: string, frontend: Frontend): Element[] {
  if (!any) return [refuse(frontend, key)];
  const everywhere = [...numbered(frontend.endpoints, key, slots.cluster), ...stickiness(frontend, key, port)];
  const anywhere = goto(frontend.pick, slots.cluster.length, port);
  if (!port.externalLocal) return [{ map: frontend.map, key, value: anywhere }, ...everywhere];
  const outside = slots.local.length > 0 ? goto(frontend.pickLocal, slots.local.length, port) : 'drop';
  return [
    { map: frontend.map, key, value: `goto ${frontend.chooseLocal}` },
    { map: frontend.inside, key, value: anywhere },
    { map: frontend.outside, key, value: outside },
    ...everywhere,
    ...numbered(frontend.localEndpoints, key, slots.local),
  ];
}

function refuse({ unserved }: Frontend, key: string): Element {
  return { map: unserved, key, value: 'goto reject-connection' };
}

function goto(pick: Pick, count: number, { affinitySeconds }: ServicePort): string {
  return `goto ${pickChain(pick, count, affinitySeconds > 0)}`;
}

function numbered(map: string, key: string, targets: readonly string[]): Element[] {
  return targets.map((value, i) => ({ map, key: `${key} . ${i}`, value }));
}

function stickiness({ sticky }: Frontend, key: string, { affinitySeconds }: ServicePort): Element[] {
  return affinitySeconds > 0 ? [{ map: sticky, key, value: `jump ${rememberChain(affinitySeconds)}` }] : [];
}

function firewall({ loadBalancerIps, sourceRanges, protocol, port }: ServicePort): Element[] {
  if (sourceRanges.length === 0) return [];
  return loadBalancerIps.flatMap((address) => {
    const key = `${address} . ${protocol} . ${port}`;
    const allowed = sourceRanges.map((range) => ({ map: 'sources', key: `${key} . ${range}`, value: '' }));
    return [{ map: 'firewalled', key, value: '' }, ...allowed];
  });
}

/** Only pods of this node can reach themselves through it. */
function hairpins({ chosen, nodeName }: PortInput): Element[] {
  const own = [...chosen.cluster, ...chosen.local].filter((endpoint) => endpoint.nodeName === nodeName);
  const addresses = new Set(own.map(({ address }) => address));
  return [...addresses].map((address) => ({ map: 'hairpin', key: `${address} . ${address}`, value: '' }));
}

function targetOf({ address, port }: Endpoint): string {
  return `${address} . ${port}`;
}
