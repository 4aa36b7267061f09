import { type networkingv1, refs } from '@coracle/api';
import { isAlreadyExists, isNotFound, parseIp } from '@coracle/apimachinery';
import type { ObjectReader, ObjectWriter } from '../../../object-reader.js';
import type { Claimant, Claims } from './claims.js';

const managedBy = 'ipallocator.k8s.io';

/** Allocates cluster IPs. Each is an `IPAddress` object of that name, which refers to its service. */
export class AddressClaims implements Claims<string> {
  readonly #objects: ObjectReader;
  readonly #writer: ObjectWriter;

  constructor(objects: ObjectReader, writer: ObjectWriter) {
    this.#objects = objects;
    this.#writer = writer;
  }

  isTaken(address: string): boolean {
    return this.#objects.get(refs.ipAddresses, '', address) !== undefined;
  }

  /** The service that holds it, according to the cache. */
  ownerOf(address: string): Claimant | undefined {
    const { namespace = '', name = '' } = this.#objects.get(refs.ipAddresses, '', address)?.spec.parentRef ?? {};
    return name === '' ? undefined : { namespace, name };
  }

  async claim(address: string, claimant: Claimant): Promise<boolean> {
    try {
      await this.#writer.create(refs.ipAddresses, addressObject(address, claimant));
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** An address that has been allocated to another Service meanwhile stays allocated. */
  async release(address: string, { namespace, name }: Claimant): Promise<void> {
    const parent = (await this.#objects.getFresh(refs.ipAddresses, '', address))?.spec.parentRef;
    if (!parent || parent.namespace !== namespace || parent.name !== name) return;
    await this.#writer.delete(refs.ipAddresses, '', address).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** All addresses that servers of this kind have allocated. */
  list(): readonly networkingv1.IPAddress[] {
    return this.#objects
      .list(refs.ipAddresses)
      .filter(({ metadata }) => metadata.labels?.['ipaddress.kubernetes.io/managed-by'] === managedBy);
  }
}

function addressObject(address: string, { namespace, name }: Claimant): networkingv1.IPAddress {
  return {
    metadata: {
      name: address,
      labels: {
        'ipaddress.kubernetes.io/ip-family': parseIp(address)?.family === 6 ? 'IPv6' : 'IPv4',
        'ipaddress.kubernetes.io/managed-by': managedBy,
      },
    },
    spec: { parentRef: { resource: 'services', namespace, name } },
  };
}
