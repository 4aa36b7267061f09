import type { Clock, Logger, Random } from '@coracle/base';
import type { Store } from '@coracle/store';
import type { ObjectReader, ObjectWriter } from '../../../object-reader.js';
import { AddressClaims } from './address-claims.js';
import { PortClaims } from './port-claims.js';
import { ServiceRepair } from './repair.js';
import { RepairEvents } from './repair-events.js';
import { createServiceAllocator, type ServiceAllocator } from './service-allocator.js';
import { currentRanges, ensureDefaultRange, type ServiceRangeOptions, serviceRanges } from './service-ranges.js';

export interface ServiceAddressingDependencies {
  readonly store: Store;
  readonly objects: ObjectReader;
  /** Writes the objects that represent addresses, without admission and allocation. */
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The allocators of addresses and ports for services. */
export interface ServiceAddressing extends Disposable {
  readonly allocator: ServiceAllocator;
  /** Creates the default range and reconciles claims with services, before the first request. */
  start(): Promise<void>;
}

export function createServiceAddressing(
  deps: ServiceAddressingDependencies,
  options: ServiceRangeOptions,
): ServiceAddressing {
  const { addresses, ports } = serviceRanges(options);
  const addressClaims = new AddressClaims(deps.objects, deps.writer);
  const portClaims = new PortClaims(ports, deps.store);
  const addressRanges = currentRanges(addresses, deps.objects);
  const events = new RepairEvents(deps);
  const repair = new ServiceRepair({ ...deps, addressClaims, portClaims, addressRanges, ports, events });
  return {
    allocator: createServiceAllocator({
      families: addresses.map(({ family }) => family),
      addressRanges,
      ports,
      addressClaims,
      portClaims,
      random: deps.random,
    }),
    start: async () => {
      await Promise.all([ensureDefaultRange(deps, addresses), repair.start()]);
    },
    [Symbol.dispose]: () => repair[Symbol.dispose](),
  };
}
