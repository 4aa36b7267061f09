import type { Store } from '@coracle/store';
import type { ConnectionOptions } from './connection.js';

export interface EtcdStoreOptions extends ConnectionOptions {
  /** Prefix of every key in etcd, in addition to the store's own. */
  readonly prefix?: string;
  /** The prefix in etcd of the objects below the store's `/registry`; the same by default. */
  readonly root?: string;
}

/** The store in an etcd cluster. No request is sent before first use; gRPC is loaded when the store is created. */
export async function createEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const { EtcdStore } = await import('./etcd-store.js');
  return new EtcdStore(options);
}
