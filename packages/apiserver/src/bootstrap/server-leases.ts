import type { Store } from '@coracle/store';
import { storageRoot } from '../registry/storage-prefix.js';

const prefix = `${storageRoot}masterleases/`;
/** One renewal may be missed before a server counts as gone. */
const ttlSeconds = 15;

/** Which API servers share a store: each keeps a key with its address, which goes when it is not renewed. */
export class ServerLeases {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async renew(host: string): Promise<void> {
    const lease = await this.#store.grantLease(ttlSeconds);
    const value = new TextEncoder().encode(JSON.stringify({ subsets: [{ addresses: [{ ip: host }] }] }));
    await this.#store.transact({
      compare: [],
      operations: [{ kind: 'put', key: prefix + host, value, lease: lease.id }],
    });
  }

  async remove(host: string): Promise<void> {
    await this.#store.transact({ compare: [], operations: [{ kind: 'delete', key: prefix + host }] });
  }

  /** The addresses of all servers that are alive, in order. */
  async hosts(): Promise<string[]> {
    const { items } = await this.#store.list(prefix);
    return items.map(({ key }) => key.slice(prefix.length)).sort();
  }
}
