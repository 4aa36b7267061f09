import { type networkingv1, refs, type Service } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import { type Clock, every, type Logger, type Millis } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { AddressClaims } from './address-claims.js';
import { type Claimant, claimantOf } from './claims.js';
import { type PortClaims, portsOf } from './port-claims.js';
import { addressesOf } from './service-allocator.js';

const periodMs: Millis = 3 * 60_000;
/** A claim without its service may be that of a service on its way into the store. */
const graceMs: Millis = 60_000;
/** How many times in a row a port must be found without its service. */
const roundsBeforeRelease = 3;

export interface RepairDependencies {
  readonly objects: ObjectReader;
  readonly addressClaims: AddressClaims;
  readonly portClaims: PortClaims;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Makes claims and services agree, now and from time to time: a server may die between the one and the other. */
export class ServiceRepair implements Disposable {
  readonly #deps: RepairDependencies;
  /** Ports that are taken by no service, and how often that was seen. */
  readonly #leaks = new Map<number, number>();
  #timer: Disposable | undefined;

  constructor(deps: RepairDependencies) {
    this.#deps = deps;
  }

  /** The first round is over when this resolves. Its failure is the caller's; that of later ones is logged. */
  async start(): Promise<void> {
    await this.run();
    this.#timer = every(this.#deps.clock, periodMs, () => {
      void this.run().catch((error: unknown) =>
        this.#deps.logger.error('addresses and ports of services could not be repaired', { error }),
      );
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  async run(): Promise<void> {
    const services = this.#deps.objects.list(refs.services);
    await Promise.all([this.#repairAddresses(services), this.#repairPorts(services)]);
  }

  async #repairAddresses(services: readonly Service[]): Promise<void> {
    const { addressClaims, logger } = this.#deps;
    for (const service of services) {
      for (const address of addressesOf(service)) {
        if (addressClaims.isTaken(address)) continue;
        const done = await addressClaims.claim(address, claimantOf(service));
        if (done) logger.info('cluster IP was not allocated; repaired', { address, service: service.metadata.name });
      }
    }
    for (const claim of addressClaims.list()) await this.#dropIfLeft(claim);
  }

  async #dropIfLeft({ metadata, spec }: networkingv1.IPAddress): Promise<void> {
    const { objects, addressClaims, clock } = this.#deps;
    const age = clock.now() - (parseTime(metadata.creationTimestamp ?? '') ?? 0);
    if (age < graceMs) return;
    const { namespace = '', name = '' } = spec.parentRef ?? {};
    const address = metadata.name ?? '';
    const service = await objects.getFresh(refs.services, namespace, name);
    if (service && addressesOf(service).includes(address)) return;
    await addressClaims.release(address, { namespace, name });
  }

  async #repairPorts(services: readonly Service[]): Promise<void> {
    const { portClaims } = this.#deps;
    const taken = new Set(await portClaims.list());
    const used = new Map<number, Claimant>();
    for (const service of services) for (const port of portsOf(service)) used.set(port, claimantOf(service));
    const missing = [...used].filter(([port]) => !taken.has(port));
    await Promise.all(missing.map(([port, claimant]) => this.#claimPort(port, claimant)));
    for (const port of this.#leaks.keys()) if (!taken.has(port)) this.#leaks.delete(port);
    for (const port of taken) {
      if (used.has(port)) this.#leaks.delete(port);
      else await this.#countLeak(port);
    }
    // Not before what they said is said elsewhere.
    await portClaims.removeFormerKeys();
  }

  async #claimPort(port: number, { namespace, name }: Claimant): Promise<void> {
    const { portClaims, logger } = this.#deps;
    if (await portClaims.claim(port)) logger.info('node port was not allocated; repaired', { port, namespace, name });
  }

  async #countLeak(port: number): Promise<void> {
    const rounds = (this.#leaks.get(port) ?? 0) + 1;
    this.#leaks.set(port, rounds);
    if (rounds < roundsBeforeRelease) return;
    this.#leaks.delete(port);
    await this.#deps.portClaims.release(port);
  }
}
