import { type ComponentOptions, clusterRangeProblems, controllerProblems } from '@coracle/cluster';
import { type Command, InvalidArgumentError } from 'commander';
import { booleanFlag, parseCount, parseList, parseTimespan } from './flag-values.js';

type ControllerSettings = NonNullable<ComponentOptions['controllers']>;

/** What kube-controller-manager takes, as far as something here depends on it. */
export interface ControllerManagerFlags extends Readonly<Record<string, unknown>> {
  readonly controllers: readonly string[];
  readonly rootCaFile?: string;
  readonly serviceAccountPrivateKeyFile?: string;
  readonly clusterSigningCertFile?: string;
  readonly clusterSigningKeyFile?: string;
  readonly useServiceAccountCredentials: boolean;
  readonly enableGarbageCollector: boolean;
  readonly allocateNodeCidrs: boolean;
  readonly clusterCidr?: readonly string[];
  readonly nodeCidrMaskSize?: number;
  readonly nodeCidrMaskSizeIpv4: number;
  readonly nodeCidrMaskSizeIpv6: number;
  readonly nodeMonitorPeriod: number;
  readonly nodeMonitorGracePeriod: number;
  readonly nodeStartupGracePeriod: number;
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
  readonly terminatedPodGcThreshold: number;
  readonly maxEndpointsPerSlice: number;
  readonly resourceQuotaSyncPeriod: number;
  readonly legacyServiceAccountTokenCleanUpPeriod: number;
}

/** How many objects a controller works on at once: flag, controller, default. */
const concurrency = [
  ['concurrent-deployment-syncs', 'deployment-controller', 5],
  ['concurrent-replicaset-syncs', 'replicaset-controller', 5],
  ['concurrent-rc-syncs', 'replicationcontroller-controller', 5],
  ['concurrent-daemonset-syncs', 'daemonset-controller', 2],
  ['concurrent-statefulset-syncs', 'statefulset-controller', 5],
  ['concurrent-job-syncs', 'job-controller', 5],
  ['concurrent-cron-job-syncs', 'cronjob-controller', 5],
  ['concurrent-ttl-after-finished-syncs', 'ttl-after-finished-controller', 5],
  ['concurrent-endpoint-syncs', 'endpoints-controller', 5],
  ['concurrent-service-endpoint-syncs', 'endpointslice-controller', 5],
  ['mirroring-concurrent-service-endpoint-syncs', 'endpointslice-mirroring-controller', 5],
  ['concurrent-namespace-syncs', 'namespace-controller', 10],
  ['concurrent-gc-syncs', 'garbage-collector-controller', 20],
  ['concurrent-resource-quota-syncs', 'resourcequota-controller', 5],
  ['concurrent-serviceaccount-token-syncs', 'serviceaccount-token-controller', 5],
] as const;

export function addControllerManagerFlags(command: Command): Command {
  command
    .option('--controllers <list>', 'to run: * for all, foo for one, -foo for all but one', parseControllers, [
      '*',
    ] as readonly string[])
    .option('--root-ca-file <file>', 'the CA certificate that is published into every namespace')
    .option('--service-account-private-key-file <file>', 'signs the tokens that secrets hold')
    .option('--cluster-signing-cert-file <file>', 'the authority that signs certificate requests')
    .option('--cluster-signing-key-file <file>', 'its key')
    .addOption(
      booleanFlag('use-service-account-credentials', 'whether each controller acts as its own service account', false),
    )
    .addOption(booleanFlag('enable-garbage-collector', 'whether dependents go with their owners'))
    .addOption(booleanFlag('allocate-node-cidrs', 'whether nodes get their parts of --cluster-cidr', false))
    .option('--cluster-cidr <list>', 'ranges of pods, one of each address family at the most', parseList)
    .option('--node-cidr-mask-size <n>', "the size of a node's part, with one range", parseCount)
    .option('--node-cidr-mask-size-ipv4 <n>', "the size of a node's part of the IPv4 range", parseCount, 24)
    .option('--node-cidr-mask-size-ipv6 <n>', "the size of a node's part of the IPv6 range", parseCount, 64)
    .option('--node-monitor-period <duration>', 'how often nodes are looked at', parseTimespan, 5_000)
    .option('--node-monitor-grace-period <duration>', 'how long a node may be silent', parseTimespan, 50_000)
    .option('--node-startup-grace-period <duration>', 'the same for one that has just come', parseTimespan, 60_000)
    .option('--node-eviction-rate <n>', 'nodes a second that lose their pods when they fail', parseRate, 0.1)
    .option('--secondary-node-eviction-rate <n>', 'the same while a large zone is in trouble', parseRate, 0.01)
    .option('--large-cluster-size-threshold <n>', 'nodes beyond which a zone is large', parseCount, 50)
    .option('--unhealthy-zone-threshold <share>', 'of failed nodes, from which a zone is in trouble', parseRate, 0.55)
    .option('--terminated-pod-gc-threshold <n>', 'ended pods that may stay; 0 for any number', parseCount, 12_500)
    .option('--max-endpoints-per-slice <n>', 'endpoints that a slice holds at most', parseCount, 100)
    .option('--resource-quota-sync-period <duration>', 'how often quotas are counted anew', parseTimespan, 300_000)
    .option(
      '--legacy-service-account-token-clean-up-period <duration>',
      'how long a token in a secret may be unused before it is disabled, and then removed',
      parseTimespan,
      8760 * 3_600_000,
    );
  for (const [flag, controller, count] of concurrency) {
    command.option(`--${flag} <n>`, `objects that the ${controller} works on at once`, parseCount, count);
  }
  return command;
}

export function controllerSettings(flags: ControllerManagerFlags): ControllerSettings {
  const { enableGarbageCollector, controllers } = flags;
  return {
    enabled: enableGarbageCollector ? controllers : [...controllers, '-garbage-collector-controller'],
    workers: Object.fromEntries(
      concurrency.map(([flag, controller]) => [controller, flags[camelCase(flag)] as number]),
    ),
    nodeLifecycle: {
      periodMs: flags.nodeMonitorPeriod,
      grace: { running: flags.nodeMonitorGracePeriod, starting: flags.nodeStartupGracePeriod },
      rates: {
        usual: flags.nodeEvictionRate,
        inTrouble: flags.secondaryNodeEvictionRate,
        largeZone: flags.largeClusterSizeThreshold,
        unhealthyShare: flags.unhealthyZoneThreshold,
      },
    },
    ...nodeIpamSettings(flags),
    podGc: { terminatedThreshold: flags.terminatedPodGcThreshold },
    endpointSlice: { maxEndpoints: flags.maxEndpointsPerSlice },
    resourceQuota: { resyncMs: flags.resourceQuotaSyncPeriod },
    legacyTokens: { periodMs: flags.legacyServiceAccountTokenCleanUpPeriod },
  };
}

/** Nodes get parts of the ranges only if both flags say so, as with kube-controller-manager. */
function nodeIpamSettings(flags: ControllerManagerFlags): Pick<ControllerSettings, 'nodeIpam'> {
  const { allocateNodeCidrs, clusterCidr = [], nodeCidrMaskSize, nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv6 } = flags;
  if (!allocateNodeCidrs) return {};
  if (clusterCidr.length === 0) throw new Error('--allocate-node-cidrs needs --cluster-cidr');
  const ranges = clusterCidr.map((cidr) => ({
    cidr,
    maskSize: nodeCidrMaskSize ?? (cidr.includes(':') ? nodeCidrMaskSizeIpv6 : nodeCidrMaskSizeIpv4),
  }));
  const problems = clusterRangeProblems(ranges);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return { nodeIpam: { ranges } };
}

function parseControllers(text: string): readonly string[] {
  const wanted = parseList(text);
  const problems = controllerProblems(wanted);
  if (problems.length > 0) throw new InvalidArgumentError(problems.join(', '));
  return wanted;
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (text.trim() === '' || !Number.isFinite(rate) || rate < 0) throw new InvalidArgumentError('it must be a number');
  return rate;
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
