import { type networkingv1, refs, type Service } from '@coracle/api';
import { parseIp, parseTime } from '@coracle/apimachinery';
import { type Clock, every, type Logger, type Millis } from '@coracle/base';
import type { ObjectReader } from '../../../object-reader.js';
import type { AddressClaims } from './address-claims.js';
import { claimantOf } from './claims.js';
import { type PortClaims, portsOf } from './port-claims.js';
import type { AddressRange, PortRange } from './range.js';
import type { RepairEvents } from './repair-events.js';
import { addressesOf } from './service-allocator.js';

const periodMs: Millis = 3 * 60_000;
/** A claim without its service may belong to a service that is being written. */
const graceMs: Millis = 60_000;
/** Number of consecutive rounds in which a port must be found without its service. */
const roundsBeforeRelease = 3;

export interface RepairDependencies {
  readonly objects: ObjectReader;
  readonly addressClaims: AddressClaims;
  readonly portClaims: PortClaims;
  readonly addressRanges: () => readonly AddressRange[];
  readonly ports: PortRange;
  readonly events: RepairEvents;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reconciles claims with services, at the start and periodically: a server may crash between the two writes. */
export class ServiceRepair implements Disposable {
  readonly #deps: RepairDependencies;
  /** Ports without a service, and in how many rounds they were seen. */
  readonly #leaks = new Map<number, number>();
  #timer: Disposable | undefined;

  constructor(deps: RepairDependencies) {
    this.#deps = deps;
  }

  /** Resolves after the first round. Its failure is thrown; that of later rounds is logged. */
  async start(): Promise<void> {
    await this.run();
    this.#timer = every(this.#deps.clock, periodMs, () => {
      void this.run().catch((error: unknown) =>
        this.#deps.logger.error('failed to repair the allocation of cluster IPs and node ports', { error }),
      );
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  async run(): Promise<void> {
    const services = this.#deps.objects.list(refs.services);
    this.#deps.events.nextRound();
    await Promise.all([this.#repairAddresses(services), this.#repairPorts(services)]);
  }

  async #repairAddresses(services: readonly Service[]): Promise<void> {
    for (const service of services)
      for (const address of addressesOf(service)) await this.#repairAddress(service, address);
    for (const claim of this.#deps.addressClaims.list()) await this.#dropIfLeft(claim);
  }

  async #repairAddress(service: Service, address: string): Promise<void> {
    const { addressClaims, addressRanges, objects } = this.#deps;
    const shown = `[${parseIp(address)?.family === 6 ? 'IPv6' : 'IPv4'}]`;
    if (!addressRanges().some((range) => range.covers(address))) {
      const note = `Cluster IP ${shown}: ${address} is not within any configured Service CIDR; please recreate service`;
      return await this.#warn(service, 'ClusterIPOutOfRange', note);
    }
    if (!addressClaims.isTaken(address)) {
      if (await addressClaims.claim(address, claimantOf(service)))
        await this.#warn(
          service,
          'ClusterIPNotAllocated',
          `Cluster IP ${shown}: ${address} is not allocated; repairing`,
        );
      return;
    }
    const { namespace, name } = addressClaims.ownerOf(address) ?? claimantOf(service);
    const owner = objects.get(refs.services, namespace, name);
    if (!owner || owner.metadata.uid === service.metadata.uid || !addressesOf(owner).includes(address)) return;
    const note = `Cluster IP ${shown}:${address} was assigned to multiple services; please recreate service`;
    await this.#warn(service, 'ClusterIPAlreadyAllocated', note);
  }

  async #warn(service: Service, reason: string, note: string): Promise<void> {
    const action = reason.startsWith('Port') ? 'PortAllocation' : 'ClusterIPAllocation';
    await this.#deps.events.warn({
      about: { kind: 'Service', apiVersion: 'v1', object: service },
      reason,
      action,
      note,
    });
  }

  async #dropIfLeft(claim: networkingv1.IPAddress): Promise<void> {
    const { metadata, spec } = claim;
    const { objects, addressClaims, clock, events } = this.#deps;
    const age = clock.now() - (parseTime(metadata.creationTimestamp ?? '') ?? 0);
    if (age < graceMs) return;
    const { namespace = '', name = '' } = spec.parentRef ?? {};
    const address = metadata.name ?? '';
    const service = await objects.getFresh(refs.services, namespace, name);
    if (service && addressesOf(service).includes(address)) return;
    await events.warn({
      about: { kind: 'IPAddress', apiVersion: 'networking.k8s.io/v1', object: claim },
      reason: service ? 'IPAddressWrongReference' : 'IPAddressNotAllocated',
      action: 'IPAddressAllocation',
      note: `IPAddress: ${address} for Service ${namespace}/${name} ${service ? 'has a wrong reference' : 'appears to have leaked'}: cleaning up`,
    });
    await addressClaims.release(address, { namespace, name });
  }

  async #repairPorts(services: readonly Service[]): Promise<void> {
    const { portClaims } = this.#deps;
    const taken = new Set(await portClaims.list());
    const used = new Map<number, Service>();
    for (const service of services) {
      for (const port of portsOf(service)) {
        const other = used.get(port);
        if (!other) used.set(port, service);
        else if (other !== service)
          await this.#warn(
            service,
            'PortAlreadyAllocated',
            `Port ${port} was assigned to multiple services; please recreate service`,
          );
      }
    }
    const missing = [...used].filter(([port]) => !taken.has(port));
    await Promise.all(missing.map(([port, service]) => this.#claimPort(port, service)));
    for (const port of this.#leaks.keys()) if (!taken.has(port)) this.#leaks.delete(port);
    for (const port of taken) {
      if (used.has(port)) this.#leaks.delete(port);
      else await this.#countLeak(port);
    }
    // Only after their contents are stored in the new form.
    await portClaims.removeFormerKeys();
  }

  async #claimPort(port: number, service: Service): Promise<void> {
    const { portClaims, ports } = this.#deps;
    if (port < ports.first || port > ports.last) {
      const note = `Port ${port} is not within the port range ${ports.text}; please recreate service`;
      return await this.#warn(service, 'PortOutOfRange', note);
    }
    if (await portClaims.claim(port))
      await this.#warn(service, 'PortNotAllocated', `Port ${port} is not allocated; repairing`);
  }

  async #countLeak(port: number): Promise<void> {
    const rounds = (this.#leaks.get(port) ?? 0) + 1;
    this.#leaks.set(port, rounds);
    if (rounds < roundsBeforeRelease) return;
    this.#leaks.delete(port);
    await this.#deps.portClaims.release(port);
  }
}
