import type { ClusterOptions } from '@coracle/cluster';
import { type Command, Option } from 'commander';
import { booleanFlag, parseCount, parseIp, parseList, parsePort, parseTimespan } from './flag-values.js';

/** Flags of kube-apiserver that are rarely needed, under their names there. */
export interface KubeFlags {
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
  readonly requestheaderClientCaFile?: string;
  readonly requestheaderAllowedNames: readonly string[];
  readonly requestheaderUsernameHeaders: readonly string[];
  readonly requestheaderUidHeaders: readonly string[];
  readonly requestheaderGroupHeaders: readonly string[];
  readonly requestheaderExtraHeadersPrefix: readonly string[];
  readonly serviceAccountMaxTokenExpiration?: number;
  readonly shutdownDelayDuration?: number;
  readonly storageMediaType?: NonNullable<ClusterOptions['storageMediaType']>;
}

export function addKubeFlags(command: Command): Command {
  const list = (name: string, text: string, usual: readonly string[]) =>
    new Option(name, text).argParser(parseList).default(usual, usual.join(',') || 'any');
  command
    .option('--advertise-address <ip>', 'where others reach the server, if that is not where it listens', parseIp)
    .addOption(booleanFlag('allow-privileged', 'whether containers may be privileged'))
    .option('--apiserver-count <n>', 'servers there are, for --endpoint-reconciler-type=master-count', parseCount, 1)
    .addOption(
      new Option('--endpoint-reconciler-type <kind>', 'how servers come to stand behind the service kubernetes')
        .choices(['lease', 'master-count', 'none'])
        .default('lease'),
    )
    .option('--kubernetes-service-node-port <port>', 'of nodes, for the service kubernetes (default: none)', parsePort)
    .option('--api-audiences <list>', 'whom tokens are for that the server takes (default: the issuer)', parseList)
    .addOption(booleanFlag('enable-bootstrap-token-auth', 'whether nodes may join with tokens that stand in secrets'))
    .option('--default-not-ready-toleration-seconds <n>', 'how long pods stay on nodes that are not ready', parseCount)
    .option('--default-unreachable-toleration-seconds <n>', 'and on those that cannot be reached', parseCount)
    .option('--etcd-compaction-interval <duration>', 'how often history is cut; 0 for never', parseTimespan)
    .addOption(booleanFlag('enable-logs-handler', 'whether /var/log is shown on /logs'))
    .addOption(booleanFlag('profiling', 'whether profiles are served below /debug/pprof'))
    .option('--requestheader-client-ca-file <file>', 'who vouches for proxies that speak for others')
    .addOption(list('--requestheader-allowed-names <list>', 'common names that such proxies may have', []))
    .addOption(list('--requestheader-username-headers <list>', 'where they name the user', ['X-Remote-User']))
    .addOption(list('--requestheader-uid-headers <list>', 'where they tell the uid', []))
    .addOption(list('--requestheader-group-headers <list>', 'where they name the groups', ['X-Remote-Group']))
    .addOption(
      list('--requestheader-extra-headers-prefix <list>', 'what headers with more begin with', ['X-Remote-Extra-']),
    )
    .option('--service-account-max-token-expiration <duration>', 'tokens live no longer', parseTimespan)
    .option('--shutdown-delay-duration <duration>', 'how long it serves on when asked to end', parseTimespan)
    .addOption(
      new Option('--storage-media-type <type>', 'how objects are written to etcd').choices([
        'application/json',
        'application/vnd.kubernetes.protobuf',
      ]),
    );
  for (const name of withoutEffect) command.addOption(new Option(`--${name} [value]`).hideHelp());
  return command.addOption(new Option('--storage-backend <kind>').choices(['etcd3']).hideHelp());
}

/**
 * What programs that start a kube-apiserver pass to it, and what makes no difference here. Flags that promise more safety
 * than there is without them (audit, encryption, webhooks) are not among these: who asks for that must not believe to have it.
 */
const withoutEffect: readonly string[] = [
  'contention-profiling',
  'delete-collection-workers',
  'enable-aggregator-routing',
  'enable-garbage-collector',
  'etcd-count-metric-poll-period',
  'etcd-db-metric-poll-interval',
  'etcd-healthcheck-timeout',
  'etcd-readycheck-timeout',
  'external-hostname',
  'goaway-chance',
  'http2-max-streams-per-connection',
  'kubelet-timeout',
  'livez-grace-period',
  'logging-format',
  'max-connection-bytes-per-sec',
  'proxy-client-cert-file',
  'proxy-client-key-file',
  'service-account-extend-token-expiration',
  'service-account-lookup',
  'shutdown-send-retry-after',
  'shutdown-watch-termination-grace-period',
  'v',
  'vmodule',
];

/** Those that were given, as they are written. */
export function flagsWithoutEffect(flags: object): string[] {
  const given = flags as Readonly<Record<string, unknown>>;
  return withoutEffect.filter((name) => given[camelCase(name)] !== undefined).map((name) => `--${name}`);
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** How long pods stay on nodes in trouble, as their admission plugin is told. */
export function tolerationSeconds(flags: KubeFlags): Record<string, number> {
  const { defaultNotReadyTolerationSeconds: notReady, defaultUnreachableTolerationSeconds: unreachable } = flags;
  return {
    ...(notReady !== undefined && { 'node.kubernetes.io/not-ready': notReady }),
    ...(unreachable !== undefined && { 'node.kubernetes.io/unreachable': unreachable }),
  };
}

/** What they mean for a cluster. */
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
    ...(flags.requestheaderClientCaFile && {
      requestHeader: {
        clientCa: flags.requestheaderClientCaFile,
        allowedNames: flags.requestheaderAllowedNames,
        usernameHeaders: flags.requestheaderUsernameHeaders,
        uidHeaders: flags.requestheaderUidHeaders,
        groupHeaders: flags.requestheaderGroupHeaders,
        extraHeaderPrefixes: flags.requestheaderExtraHeadersPrefix,
      },
    }),
  };
}
