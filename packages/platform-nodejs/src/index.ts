export type { EtcdTls } from './etcd/connection.js';
export { createEtcdStore, type EtcdStoreOptions } from './etcd/etcd-store.js';
export { type ExecCredentialOptions, execCredentials } from './exec-credential.js';
export { createHttpTransport, type HttpTransportOptions } from './http-transport.js';
export {
  inClusterConnection,
  type KubeconfigFilesOptions,
  kubeconfigPaths,
  loadConnection,
  loadKubeconfig,
} from './kubeconfig-file.js';
export { LmdbBackend, type LmdbOptions } from './lmdb/lmdb-backend.js';
export { createLmdbStore } from './lmdb/lmdb-store.js';
export { systemClock } from './system-clock.js';
