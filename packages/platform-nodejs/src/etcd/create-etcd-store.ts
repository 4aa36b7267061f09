import type { Store } from '@coracle/store';
import type { ConnectionOptions } from './connection.js';

export interface EtcdStoreOptions extends ConnectionOptions {
  /** What every key in etcd begins with, besides what it begins with in the store. */
  readonly prefix?: string;
  /** The prefix in etcd of the objects below the store's `/registry`; the same by default. */
  readonly root?: string;
}

/** The store in an etcd cluster. Nothing is sent until it is used; gRPC is loaded only when it is created. */
export async function createEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const { EtcdStore } = await import('./etcd-store.js');
  return new EtcdStore(options);
}
