export { AuditLog, type AuditLogOptions } from './audit/audit-log.js';
export { type InstallPluginOptions, installPlugin } from './cni/install-plugin.js';
export { leaseFiles } from './cni/lease-files.js';
export { pluginHost } from './cni/plugin-host.js';
export { findPlugin, type PluginProcessesOptions, pluginProcesses } from './cni/plugin-processes.js';
export { servePluginCalls } from './cni/plugin-server.js';
export { canHandOver } from './cni/plugin-shim.js';
export { type PluginThreadData, type PluginThreadOptions, startPluginThread } from './cni/plugin-thread.js';
export { resultCacheFiles } from './cni/result-cache-files.js';
export { type CriClient, type CriClientOptions, createCriClient, negotiateVersion } from './cri/cri-client.js';
export { runtimeStreams } from './cri/runtime-streams.js';
export { checkpointFiles } from './devices/checkpoint-files.js';
export { ClaimDrivers } from './devices/claim-drivers.js';
export { DevicePlugins } from './devices/device-plugins.js';
export { servePodResources } from './devices/pod-resources-server.js';
export { discoveryFiles, httpCacheFiles } from './discovery-cache-file.js';
export { readEncryptionConfig } from './encryption/encryption-config.js';
export { connectKms, type KmsConnection } from './encryption/kms-connection.js';
export { createEtcdStore, type EtcdStoreOptions } from './etcd/create-etcd-store.js';
export type { EtcdTls } from './etcd/etcd-tls.js';
export { type ExecCredentialOptions, execCredentials } from './exec-credential.js';
export type { ExtraListener } from './http/extra-listener.js';
export { type HttpServer, type HttpServerOptions, startHttpServer } from './http/http-server.js';
export type { NamedCertificate } from './http/named-certificates.js';
export type { ServedTls } from './http/shown-certificates.js';
export { type TlsSettings, tlsAgreement } from './http/tls-settings.js';
export { serveUpgrades } from './http/upgrade.js';
export type { UpgradeRequest } from './http/upgrade-request.js';
export { createHttpTransport, type HttpTransportOptions } from './http-transport.js';
export { type IngressEdgeOptions, NodeIngressEdge } from './ingress/ingress-edge.js';
export { selfSignedCertificate } from './ingress/self-signed.js';
export {
  inClusterConnection,
  type KubeconfigFilesOptions,
  kubeconfigPaths,
  loadConnection,
  loadKubeconfig,
} from './kubeconfig-file.js';
export { createNodeHost } from './kubectl/node-host.js';
export { createLmdbStore, type LmdbStoreOptions } from './lmdb/lmdb-store.js';
export { logFolder } from './log-files.js';
export { makeDirectory } from './make-directory.js';
export { conntrackConnections } from './network/conntrack.js';
export { type DnsSocketsOptions, listenDns } from './network/dns-sockets.js';
export { healthCheckPorts } from './network/health-check-ports.js';
export { hasNftTable, type NamespaceOptions, nftFilter } from './network/nft-filter.js';
export { queryDnsServer } from './network/query-dns-server.js';
export { hasTool, runTool, ToolError } from './network/run-tool.js';
export { type UserSpacePortsOptions, userSpacePorts } from './network/user-space-ports.js';
export { createCgroupHost } from './node/cgroups/cgroup-host.js';
export { containerLogFiles } from './node/container-log-files.js';
export { type CredentialPluginsOptions, credentialProviderPlugins } from './node/credential-provider-plugins.js';
export { describeMachine, type MachineOptions } from './node/describe-machine.js';
export { hostLogFiles } from './node/host-log-files.js';
export { createHostStats, type HostStatsOptions } from './node/host-stats.js';
export { createHostUsage, type HostUsageOptions } from './node/host-usage.js';
export { kernelLog } from './node/kernel-log.js';
export { followLogind, hasLogind, type LogindOptions } from './node/logind-shutdown.js';
export { readMachineTopology } from './node/machine-topology.js';
export { nodeLogs } from './node/node-logs.js';
export { networkProber } from './node/probes/network-prober.js';
export { type StaticPodFilesOptions, staticPodFiles } from './node/static-pod-files.js';
export { staticPodUrl } from './node/static-pod-url.js';
export { refuseSwap } from './node/swap.js';
export { createDialer } from './outbound/http-dialer.js';
export { readWebhookTarget } from './outbound/webhook-target.js';
export { createCertificateSigner, type SigningOrder } from './pki/certificate-signer.js';
export { type CertificateRequest, createAuthority, issueCertificate } from './pki/certificates.js';
export { type ClusterPki, type ClusterPkiOptions, openClusterPki } from './pki/cluster-pki.js';
export type { KeyPair } from './pki/key-pair.js';
export { podKeys } from './pki/pod-keys.js';
export { createSigningRequest, type SigningRequest } from './pki/signing-request.js';
export { PluginWatcher } from './plugins/plugin-watcher.js';
export { createProcessProfiler, type ProcessProfiler } from './process-profiler.js';
export { readProcessStats } from './process-stats.js';
export { ReloadedFile } from './reloaded-file.js';
export { type ServeHttpOptions, serveHttp } from './serve-http.js';
export { checkStderr, createStderrLogger, type LogLevel } from './stderr-logger.js';
export { stopSignal } from './stop-signal.js';
export { systemClock } from './system-clock.js';
export { createSystemRandom } from './system-random.js';
export { CsiDrivers, type CsiDriversOptions } from './volumes/csi/csi-drivers.js';
export { createCsiVolumes } from './volumes/csi/csi-volumes.js';
export { createImageMounts, type ImageMountsOptions, type MountImage, mountsImages } from './volumes/image-mounts.js';
export { type CsiVolumes, createVolumeHost, type VolumeHostOptions } from './volumes/volume-host.js';
export {
  type CertificateSource,
  certificateFiles,
  type OwnCertificates,
  type OwnCertificatesOptions,
  ownCertificates,
  type ServeWebhooksOptions,
  serveWebhooks,
} from './webhook-server.js';
