import { schemaOfKind } from '@coracle/api';
import { encodeKind, type ObjectSchema } from '@coracle/apimachinery';
import type { Store } from '@coracle/store';
import { storageRoot } from '../registry/storage-prefix.js';

const prefix = `${storageRoot}masterleases/`;
/** One renewal may be missed before a server counts as stopped. */
const ttlSeconds = 15;

/** The API servers that share a store: each renews a key with its address, which expires. */
export class ServerLeases {
  readonly #store: Store;
  /** Grows with each renewal, so that the value changes too. */
  #generation = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async renew(host: string): Promise<void> {
    const lease = await this.#store.grantLease(ttlSeconds);
    const value = endpointsOf(host, ++this.#generation);
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

/** What kube-apiserver writes there, whatever else it writes in which form: the two may share a store. */
function endpointsOf(ip: string, generation: number): Uint8Array {
  const schema = schemaOfKind({ group: '', version: 'v1', kind: 'Endpoints' }) as ObjectSchema;
  const object = { apiVersion: 'v1', kind: 'Endpoints', metadata: { generation }, subsets: [{ addresses: [{ ip }] }] };
  return encodeKind(object, schema);
}
