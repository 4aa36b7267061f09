import type { Service, ServicePort } from '@coracle/api';
import { internalError, invalid, invalidField, type StatusError } from '@coracle/apimachinery';
import type { Random } from '@coracle/base';
import type { Reservation } from '../../reservation.js';
import type { IpFamily } from '../service-allocation.js';
import { type Claimant, ClaimSet, type Claims, claimantOf } from './claims.js';
import { portsOf } from './port-claims.js';
import { type AddressRange, offsetsOf, type PortRange } from './range.js';

/** Allocates cluster IPs and node ports to services, each to one service at a time. */
export interface ServiceAllocator {
  /** The IP families of the configured ranges, in order. */
  readonly families: readonly IpFamily[];
  /**
   * Allocates what the service needs, sets it in the service, and records what to release. A dry run allocates nothing:
   * the values that it shows are examples.
   */
  reserve(service: Service, previous: Service | undefined, dryRun: boolean): Promise<Reservation>;
  /** Called after the service is deleted. Never fails: the repair releases what remains. */
  release(service: Service): Promise<void>;
}

export interface ServiceAllocatorOptions {
  readonly families: readonly IpFamily[];
  /** In the order in which they are used. Called each time, because ranges are added and removed. */
  readonly addressRanges: () => readonly AddressRange[];
  readonly ports: PortRange;
  readonly addressClaims: Claims<string>;
  readonly portClaims: Claims<number>;
  readonly random: Random;
}

const kind = { group: '', kind: 'Service' };

export function createServiceAllocator(options: ServiceAllocatorOptions): ServiceAllocator {
  return {
    families: options.families,

    async reserve(service, previous, dryRun) {
      const claims = new ClaimSet();
      const work: Work = {
        ...options,
        service,
        previous,
        dryRun,
        claims,
        claimant: claimantOf(service),
        pretended: new Set(),
      };
      try {
        await reserveAddresses(work);
        await reserveNodePorts(work);
        await reserveHealthCheckPort(work);
      } catch (error) {
        await claims.release();
        throw error;
      }
      return claims;
    },

    async release(service) {
      const claimant = claimantOf(service);
      await Promise.allSettled([
        ...addressesOf(service).map((address) => options.addressClaims.release(address, claimant)),
        ...portsOf(service).map((port) => options.portClaims.release(port, claimant)),
      ]);
    },
  };
}

interface Work extends ServiceAllocatorOptions {
  readonly service: Service;
  readonly previous: Service | undefined;
  readonly dryRun: boolean;
  readonly claims: ClaimSet;
  readonly claimant: Claimant;
  /** Values that a dry run has selected so far, so that none is selected twice. */
  readonly pretended: Set<number>;
}

/** The addresses of a service: none if it is headless or an ExternalName. */
export function addressesOf({ spec = {} }: Service): string[] {
  if (spec.type === 'ExternalName') return [];
  return (spec.clusterIPs ?? []).filter((address) => address !== 'None' && address !== '');
}

async function reserveAddresses(work: Work): Promise<void> {
  const { service, previous } = work;
  const before = previous ? addressesOf(previous) : [];
  if (needsAddresses(service)) {
    const spec = (service.spec ??= {});
    const requestedIps = spec.clusterIPs ?? [];
    const addresses: string[] = [];
    for (const [index, family] of (spec.ipFamilies ?? ['IPv4']).entries()) {
      const address = requestedIps[index];
      if (!address) addresses.push(await takeAddress(work, family));
      else {
        if (!before.includes(address)) await takeThisAddress(work, address);
        addresses.push(address);
      }
    }
    spec.clusterIPs = addresses;
    spec.clusterIP = addresses[0] as string;
  }
  const after = new Set(addressesOf(service));
  for (const address of before) {
    if (!after.has(address)) work.claims.givesBack(() => work.addressClaims.release(address, work.claimant));
  }
}

function needsAddresses({ spec = {} }: Service): boolean {
  return spec.type !== 'ExternalName' && spec.clusterIP !== 'None' && spec.clusterIPs?.[0] !== 'None';
}

async function takeAddress(work: Work, family: string): Promise<string> {
  for (const range of work.addressRanges().filter((one) => one.family === family)) {
    if (work.dryRun) return range.base;
    for (const offset of offsetsOf(range, work.random)) {
      const address = range.at(offset);
      if (!work.addressClaims.isTaken(address) && (await take(work, work.addressClaims, address))) return address;
    }
  }
  throw internalError('failed to allocate a serviceIP: range is full');
}

async function takeThisAddress(work: Work, address: string): Promise<void> {
  const problem = await addressProblem(work, address);
  if (problem === undefined) return;
  const { metadata, spec } = work.service;
  throw invalid(kind, metadata.name ?? '', [
    invalidField('spec.clusterIPs', spec?.clusterIPs, `failed to allocate IP ${address}: ${problem}`),
  ]);
}

async function addressProblem(work: Work, address: string): Promise<string | undefined> {
  const ranges = work.addressRanges().filter((range) => range.covers(address));
  const [first] = ranges;
  if (!first) return 'the provided network does not match the current range';
  if (!ranges.some((range) => range.holds(address))) {
    return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${first.text}`;
  }
  if (work.dryRun || (await take(work, work.addressClaims, address))) return undefined;
  return 'provided IP is already allocated';
}

/** Services whose ports have the same number (and different protocols) share one node port. */
async function reserveNodePorts(work: Work): Promise<void> {
  const { service, previous } = work;
  const ports = service.spec?.ports ?? [];
  const held = new Set((previous?.spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  const chosen = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    if (!port.nodePort && !allocatesNodePorts(service)) continue;
    const nodePort = port.nodePort || chosen.get(port.port) || (previous ? 0 : statedFor(port, ports));
    if (!nodePort) port.nodePort = await takePort(work, 'failed to allocate a nodePort: range is full');
    else {
      if (!held.has(nodePort)) await takeThisPort(work, index, nodePort);
      port.nodePort = nodePort;
    }
    held.add(port.nodePort);
    if (!chosen.has(port.port)) chosen.set(port.port, port.nodePort);
  }
  if (previous) giveBackPorts(work, previous);
}

/** The node port that another port of the same number specifies. */
function statedFor({ port }: ServicePort, ports: readonly ServicePort[]): number {
  return ports.find((other) => other.port === port && other.nodePort)?.nodePort ?? 0;
}

function allocatesNodePorts({ spec = {} }: Service): boolean {
  if (spec.type === 'NodePort') return true;
  return spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
}

async function takeThisPort(work: Work, index: number, port: number): Promise<void> {
  const problem = await portProblem(work, port);
  if (problem === undefined) return;
  throw invalid(kind, work.service.metadata.name ?? '', [invalidField(`spec.ports[${index}].nodePort`, port, problem)]);
}

async function portProblem(work: Work, port: number): Promise<string | undefined> {
  if (work.dryRun) return pretendToTake(work, port) ? undefined : 'provided port is already allocated';
  const { first, last } = work.ports;
  if (!work.ports.holds(port)) {
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  }
  return (await take(work, work.portClaims, port)) ? undefined : 'provided port is already allocated';
}

/** A dry run checks only whether the port is allocated, as upstream does. */
function pretendToTake({ portClaims, pretended }: Work, port: number): boolean {
  if (portClaims.isTaken(port) || pretended.has(port)) return false;
  pretended.add(port);
  return true;
}

/** Outside the default range, so that it cannot be mistaken for an allocated port. */
const firstPretended = 32_768;

async function takePort(work: Work, failure: string): Promise<number> {
  if (work.dryRun) {
    const port = Math.max(firstPretended - 1, ...work.pretended) + 1;
    work.pretended.add(port);
    return port;
  }
  for (const offset of offsetsOf(work.ports, work.random)) {
    const port = work.ports.at(offset);
    if (!work.portClaims.isTaken(port) && (await take(work, work.portClaims, port))) return port;
  }
  throw internalError(failure);
}

async function reserveHealthCheckPort(work: Work): Promise<void> {
  const { spec } = work.service;
  if (spec?.type !== 'LoadBalancer' || spec.externalTrafficPolicy !== 'Local') return;
  const before = work.previous?.spec?.healthCheckNodePort;
  const nodePort = spec.healthCheckNodePort;
  if (!nodePort) spec.healthCheckNodePort = await takePort(work, noHealthCheckPort('range is full'));
  else if (nodePort !== before) {
    const problem = await portProblem(work, nodePort);
    if (problem !== undefined) throw refusedHealthCheckPort(nodePort, problem);
  }
}

function noHealthCheckPort(why: string): string {
  return `failed to allocate a HealthCheck NodePort: ${why}`;
}

function refusedHealthCheckPort(port: number, why: string): StatusError {
  return internalError(`failed to allocate requested HealthCheck NodePort ${port}: ${why}`);
}

function giveBackPorts(work: Work, previous: Service): void {
  for (const port of portsOf(previous)) {
    work.claims.givesBack(async () => {
      if (!portsOf(work.service).includes(port)) await work.portClaims.release(port, work.claimant);
    });
  }
}

async function take<T>({ claims, claimant }: Work, from: Claims<T>, item: T): Promise<boolean> {
  if (!(await from.claim(item, claimant))) return false;
  claims.took(() => from.release(item, claimant));
  return true;
}
