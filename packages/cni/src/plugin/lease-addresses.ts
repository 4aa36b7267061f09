import { CniError, cniErrorCodes } from '../cni-error.js';
import { type AddressRange, candidates } from './address-range.js';
import type { LeaseStore } from './plugin-host.js';

/** One address of each range for the owner; all of them or none. */
export function leaseAddresses(leases: LeaseStore, ranges: readonly AddressRange[], owner: string): string[] {
  const taken: string[] = [];
  try {
    for (const range of ranges) taken.push(leaseOne(leases, range, owner));
    return taken;
  } catch (error) {
    for (const address of taken) leases.release(address);
    throw error;
  }
}

function leaseOne(leases: LeaseStore, range: AddressRange, owner: string): string {
  for (const address of candidates(range, leases.last(range.subnet))) {
    if (!leases.claim(address, owner)) continue;
    leases.setLast(range.subnet, address);
    return address;
  }
  throw new CniError(cniErrorCodes.noAddressAvailable, `no IP addresses available in range ${range.subnet}`);
}

/** Releases every address of the owner, also those of an ADD that did not come to its end. */
export function releaseAll(leases: LeaseStore, owner: string): void {
  const leased = leases.attachment(owner);
  const addresses =
    leased?.addresses ??
    leases
      .claims()
      .filter((claim) => claim.owner === owner)
      .map(({ address }) => address);
  for (const address of addresses) leases.release(address);
  leases.removeAttachment(owner);
}
