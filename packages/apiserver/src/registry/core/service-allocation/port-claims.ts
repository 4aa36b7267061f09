import { refs, type Service } from '@coracle/api';
import type { Store } from '@coracle/store';
import type { ObjectReader } from '../../object-reader.js';
import { storageRoot } from '../../storage-prefix.js';
import type { Claimant, Claims } from './claims.js';

const prefix = `${storageRoot}ranges/nodeports/`;

/** Node ports. Each has a key of its own in the store, which says whose it is. */
export class PortClaims implements Claims<number> {
  readonly #objects: ObjectReader;
  readonly #store: Store;
  /** The ports of the services that are stored, as of `#countedAt`. */
  #used = new Set<number>();
  #countedAt = -1;

  constructor(objects: ObjectReader, store: Store) {
    this.#objects = objects;
    this.#store = store;
  }

  isTaken(port: number): boolean {
    const generation = this.#objects.generation(refs.services);
    if (generation !== this.#countedAt) {
      this.#used = new Set(this.#objects.list(refs.services).flatMap(portsOf));
      this.#countedAt = generation;
    }
    return this.#used.has(port);
  }

  async claim(port: number, claimant: Claimant): Promise<boolean> {
    const key = prefix + port;
    const value = new TextEncoder().encode(nameOf(claimant));
    const { succeeded } = await this.#store.transact({
      compare: [{ key, modRevision: 0 }],
      operations: [{ kind: 'put', key, value }],
    });
    return succeeded;
  }

  async release(port: number, claimant: Claimant): Promise<void> {
    const key = prefix + port;
    const held = await this.#store.get(key);
    if (!held || new TextDecoder().decode(held.value) !== nameOf(claimant)) return;
    const compare = [{ key, modRevision: held.modRevision }];
    await this.#store.transact({ compare, operations: [{ kind: 'delete', key }] });
  }

  async list(): Promise<Map<number, Claimant>> {
    const { items } = await this.#store.list(prefix);
    const claims = new Map<number, Claimant>();
    for (const { key, value } of items) {
      const [namespace = '', name = ''] = new TextDecoder().decode(value).split('/');
      claims.set(Number(key.slice(prefix.length)), { namespace, name });
    }
    return claims;
  }
}

function nameOf({ namespace, name }: Claimant): string {
  return `${namespace}/${name}`;
}

/** Every port of the nodes that a service has, that of its health check included. */
export function portsOf({ spec = {} }: Service): number[] {
  const ports = (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
  return [...new Set(spec.healthCheckNodePort ? [...ports, spec.healthCheckNodePort] : ports)];
}
