import type { ClusterOptions } from '@coracle/cluster';
import { type Command, Option } from 'commander';
import { booleanFlag, parseCount, parseIp, parseList, parsePort, parseTimespan } from './flag-values.js';
import {
  addIdleFlags,
  addRefusedFlags,
  flagsWithoutEffect,
  idleProcessFlags,
  idleServingFlags,
  type RefusedFlags,
  refusedServingFlags,
} from './idle-flags.js';
import { addRequestHeaderFlags, type RequestHeaderFlags, requestHeaderOptions } from './request-header-flags.js';

/** Flags of kube-apiserver that are rarely needed, under their names there. */
export interface KubeFlags extends RequestHeaderFlags {
  readonly advertiseAddress?: string;
  readonly allowPrivileged: boolean;
  readonly apiserverCount: number;
  readonly endpointReconcilerType: 'lease' | 'master-count' | 'none';
  readonly apiAudiences?: readonly string[];
  readonly kubernetesServiceNodePort?: number;
  readonly defaultNotReadyTolerationSeconds?: number;
  readonly defaultUnreachableTolerationSeconds?: number;
  readonly enableBootstrapTokenAuth: boolean;
  readonly enableLogsHandler: boolean;
  readonly etcdCompactionInterval?: number;
  readonly profiling: boolean;
  readonly proxyClientCertFile?: string;
  readonly proxyClientKeyFile?: string;
  readonly serviceAccountMaxTokenExpiration?: number;
  readonly shutdownDelayDuration?: number;
  readonly storageMediaType?: NonNullable<ClusterOptions['storageMediaType']>;
}

export function addKubeFlags(command: Command): Command {
  addRequestHeaderFlags(command);
  addTolerationFlags(command);
  command
    .option(
      '--advertise-address <ip>',
      'IP address that the API server advertises to members of the cluster (default: the address that it listens on)',
      parseIp,
    )
    .addOption(booleanFlag('allow-privileged', 'allow privileged containers'))
    .option(
      '--apiserver-count <n>',
      'number of API servers, for --endpoint-reconciler-type=master-count',
      parseCount,
      1,
    )
    .addOption(
      new Option('--endpoint-reconciler-type <kind>', 'endpoint reconciler of the service kubernetes')
        .choices(['lease', 'master-count', 'none'])
        .default('lease'),
    )
    .option('--kubernetes-service-node-port <port>', 'node port of the service kubernetes (default: none)', parsePort)
    .option(
      '--api-audiences <list>',
      'audiences that tokens must be issued for (default: the service account issuer)',
      parseList,
    )
    .addOption(
      booleanFlag(
        'enable-bootstrap-token-auth',
        'authenticate bootstrap tokens, secrets of the type bootstrap.kubernetes.io/token in kube-system',
      ),
    )
    .option(
      '--etcd-compaction-interval <duration>',
      'interval between compactions of the store; 0 disables compaction',
      parseTimespan,
    )
    .addOption(booleanFlag('enable-logs-handler', 'serve /var/log below /logs'))
    .addOption(booleanFlag('profiling', 'serve profiles below /debug/pprof'))
    .option('--proxy-client-cert-file <file>', 'client certificate for calls to aggregated API servers')
    .option('--proxy-client-key-file <file>', 'private key of --proxy-client-cert-file')
    .option(
      '--service-account-max-token-expiration <duration>',
      'maximum lifetime of service account tokens',
      parseTimespan,
    )
    .option(
      '--shutdown-delay-duration <duration>',
      'time to keep serving after SIGTERM, with /readyz failing',
      parseTimespan,
    )
    .addOption(
      new Option('--storage-media-type <type>', 'media type of objects in etcd').choices([
        'application/json',
        'application/vnd.kubernetes.protobuf',
      ]),
    );
  addIdleFlags(command, withoutEffect);
  addRefusedFlags(command, refused);
  return command.addOption(new Option('--storage-backend <kind>').choices(['etcd3']).hideHelp());
}

function addTolerationFlags(command: Command): void {
  command
    .option(
      '--default-not-ready-toleration-seconds <n>',
      'tolerationSeconds of the default toleration for node.kubernetes.io/not-ready',
      parseCount,
    )
    .option(
      '--default-unreachable-toleration-seconds <n>',
      'tolerationSeconds of the default toleration for node.kubernetes.io/unreachable',
      parseCount,
    );
}

/** Flags of kube-apiserver that have no effect here. */
const withoutEffect: readonly string[] = [
  ...idleProcessFlags,
  ...idleServingFlags,
  ...['aggregator-reject-forwarding-redirect', 'coordinated-leadership-lease-duration'],
  ...['coordinated-leadership-renew-deadline', 'coordinated-leadership-retry-period', 'debug-socket-path'],
  ...['delete-collection-workers', 'emulation-forward-compatible', 'enable-aggregator-routing'],
  ...['enable-garbage-collector', 'etcd-count-metric-poll-period', 'etcd-db-metric-poll-interval'],
  ...['etcd-healthcheck-timeout', 'etcd-readycheck-timeout', 'external-hostname', 'goaway-chance', 'kubelet-port'],
  ...['kubelet-read-only-port', 'kubelet-timeout', 'lease-reuse-duration-seconds', 'livez-grace-period'],
  ...['max-connection-bytes-per-sec', 'peer-advertise-ip', 'peer-advertise-port', 'peer-ca-file'],
  ...['runtime-config-emulation-forward-compatible', 'service-account-extend-token-expiration'],
  ...['service-account-lookup', 'shutdown-send-retry-after', 'shutdown-watch-termination-grace-period'],
  ...['storage-initialization-timeout', 'tracing-config-file'],
];

/** Flags for security and for other ways to sign or to connect: a user who sets them must not assume that they work. */
const refused: RefusedFlags = {
  ...refusedServingFlags,
  'egress-selector-config-file': 'egress selectors are not supported',
  'service-account-jwks-uri': 'the keys are published at the address of the API server only',
  'service-account-signing-endpoint': 'external signers are not supported; use --service-account-signing-key-file',
  'strict-transport-security-directives': 'the header Strict-Transport-Security is not sent',
};

/** The flags of kube-apiserver that were given and have no effect. */
export function idleServerFlags(flags: object): string[] {
  return flagsWithoutEffect(flags, withoutEffect);
}

/** The configuration of DefaultTolerationSeconds: how long pods stay on nodes in trouble. */
export function tolerationSeconds(flags: KubeFlags): Record<string, number> {
  const { defaultNotReadyTolerationSeconds: notReady, defaultUnreachableTolerationSeconds: unreachable } = flags;
  return {
    ...(notReady !== undefined && { 'node.kubernetes.io/not-ready': notReady }),
    ...(unreachable !== undefined && { 'node.kubernetes.io/unreachable': unreachable }),
  };
}

/** Options of a cluster from these flags. */
export function kubeOptions(flags: KubeFlags): Partial<ClusterOptions> {
  const maxToken = flags.serviceAccountMaxTokenExpiration;
  return {
    bootstrapTokens: flags.enableBootstrapTokenAuth,
    profiling: flags.profiling,
    ...(flags.enableLogsHandler && { logFolder: '/var/log' }),
    allowsPrivileged: flags.allowPrivileged,
    endpointReconciler: { kind: flags.endpointReconcilerType, servers: flags.apiserverCount },
    ...(flags.advertiseAddress && { advertiseAddress: flags.advertiseAddress }),
    ...(flags.apiAudiences && { apiAudiences: flags.apiAudiences }),
    ...(flags.etcdCompactionInterval !== undefined && { compactionIntervalMs: flags.etcdCompactionInterval }),
    ...(maxToken && { maxTokenSeconds: Math.round(maxToken / 1000) }),
    ...(flags.shutdownDelayDuration && { shutdownDelayMs: flags.shutdownDelayDuration }),
    ...(flags.storageMediaType && { storageMediaType: flags.storageMediaType }),
    ...requestHeaderOptions(flags),
  };
}
