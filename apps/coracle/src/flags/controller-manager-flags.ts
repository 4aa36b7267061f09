import { type ComponentOptions, clusterRangeProblems, controllerProblems } from '@coracle/cluster';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addEndpointFlags, type EndpointFlags, endpointSettings } from './endpoint-flags.js';
import { booleanFlag, durationFlag, parseCount, parseList } from './flag-values.js';
import {
  addPersistentVolumeFlags,
  type PersistentVolumeFlags,
  persistentVolumeSettings,
} from './persistent-volume-flags.js';
import { addSigningFlags, type SigningFlags } from './signing-flags.js';

type ControllerSettings = NonNullable<ComponentOptions['controllers']>;

/** Flags of kube-controller-manager that have an effect. */
export interface ControllerManagerFlags extends ControllerFlags, SigningFlags {
  readonly enableGarbageCollector: boolean;
  readonly rootCaFile?: string;
  readonly serviceAccountPrivateKeyFile?: string;
  readonly useServiceAccountCredentials: boolean;
  readonly allocateNodeCidrs: boolean;
  readonly clusterCidr?: readonly string[];
  readonly nodeCidrMaskSize?: number;
  readonly nodeCidrMaskSizeIpv4: number;
  readonly nodeCidrMaskSizeIpv6: number;
  readonly serviceClusterIpRange?: readonly string[];
}

/** Those that `coracle up` accepts too. */
export interface ControllerFlags extends EndpointFlags, PersistentVolumeFlags, Readonly<Record<string, unknown>> {
  readonly controllers: readonly string[];
  readonly nodeMonitorPeriod: number;
  readonly nodeMonitorGracePeriod: number;
  readonly nodeStartupGracePeriod: number;
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
  readonly terminatedPodGcThreshold: number;
  readonly clusterSigningDuration: number;
  readonly horizontalPodAutoscalerSyncPeriod: number;
  readonly horizontalPodAutoscalerDownscaleStabilization: number;
  readonly horizontalPodAutoscalerTolerance: number;
  readonly horizontalPodAutoscalerCpuInitializationPeriod: number;
  readonly horizontalPodAutoscalerInitialReadinessDelay: number;
  readonly resourceQuotaSyncPeriod: number;
  readonly legacyServiceAccountTokenCleanUpPeriod: number;
}

/** Number of concurrent syncs: flag, controller, default. */
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
  ['concurrent-horizontal-pod-autoscaler-syncs', 'horizontal-pod-autoscaler-controller', 5],
  ['concurrent-ephemeralvolume-syncs', 'ephemeral-volume-controller', 5],
  ['concurrent-service-syncs', 'service-lb-controller', 1],
  ['concurrent-validating-admission-policy-status-syncs', 'validatingadmissionpolicy-status-controller', 5],
  ['concurrent-resource-claim-syncs', 'resourceclaim-controller', 10],
  ['concurrent-device-taint-eviction-syncs', 'device-taint-eviction-controller', 8],
] as const;

export function addControllerManagerFlags(command: Command): Command {
  addPodRangeFlags(addSigningFlags(command))
    .option('--root-ca-file <file>', 'CA certificate that is published into every namespace as kube-root-ca.crt')
    .option('--service-account-private-key-file <file>', 'PEM private key that signs service account tokens in secrets')
    .addOption(
      booleanFlag(
        'use-service-account-credentials',
        'run each controller with credentials of its own service account',
        false,
      ),
    )
    .addOption(booleanFlag('enable-garbage-collector', 'delete dependents of deleted owners'));
  return addControllerFlags(command);
}

/** Selection and options of controllers, which `coracle up` accepts too. */
export function addControllerFlags(command: Command): Command {
  addNodeFlags(command)
    .option(
      '--controllers <list>',
      "controllers to run: '*' for all, foo to enable foo, -foo to disable foo",
      parseControllers,
      ['*'] as readonly string[],
    )
    .option(
      '--terminated-pod-gc-threshold <n>',
      'number of terminated pods before they are garbage collected; 0 disables it',
      parseCount,
      12_500,
    )
    .addOption(
      durationFlag(
        'cluster-signing-duration',
        'maximum duration of signed certificates; a request may ask for a shorter one',
        8760 * 3_600_000,
      ),
    )
    .addOption(durationFlag('resource-quota-sync-period', 'interval between full resyncs of resource quotas', 300_000))
    .addOption(
      durationFlag(
        'legacy-service-account-token-clean-up-period',
        'time that a token secret may be unused before it is marked invalid, and then deleted',
        8760 * 3_600_000,
      ),
    );
  addAutoscalerFlags(addPersistentVolumeFlags(addEndpointFlags(command)));
  for (const [flag, controller, count] of concurrency) {
    command.option(`--${flag} <n>`, `maximum number of concurrent syncs of the ${controller}`, parseCount, count);
  }
  return command;
}

/** Options of autoscalers: intervals and tolerances. */
function addAutoscalerFlags(command: Command): void {
  const prefix = 'horizontal-pod-autoscaler';
  command
    .addOption(durationFlag(`${prefix}-sync-period`, 'interval between syncs of a HorizontalPodAutoscaler', 15_000))
    .addOption(
      durationFlag(
        `${prefix}-downscale-stabilization`,
        'time that a higher recommendation holds back a lower one',
        300_000,
      ),
    )
    .addOption(
      durationFlag(
        `${prefix}-cpu-initialization-period`,
        'time after the start of a pod in which CPU samples may be skipped',
        300_000,
      ),
    )
    .addOption(
      durationFlag(
        `${prefix}-initial-readiness-delay`,
        'time after the start of a pod in which readiness changes count as initial',
        30_000,
      ),
    )
    .option(`--${prefix}-tolerance <ratio>`, 'change of the metric ratio that is too small to scale', parseRate, 0.1);
}

function addPodRangeFlags(command: Command): Command {
  return command
    .addOption(booleanFlag('allocate-node-cidrs', 'allocate pod CIDRs of nodes from --cluster-cidr', false))
    .option('--cluster-cidr <list>', 'CIDR ranges of pods, at most one for each IP family', parseList)
    .option('--node-cidr-mask-size <n>', "mask size of a node's pod CIDR in a single-stack cluster", parseCount)
    .option('--node-cidr-mask-size-ipv4 <n>', "mask size of a node's IPv4 pod CIDR", parseCount, 24)
    .option('--node-cidr-mask-size-ipv6 <n>', "mask size of a node's IPv6 pod CIDR", parseCount, 64)
    .option('--service-cluster-ip-range <list>', 'CIDR ranges of services, which nodes get no part of', parseList)
    .addOption(
      new Option('--cidr-allocator-type <type>', 'how pod CIDRs of nodes are allocated')
        .choices(['RangeAllocator'])
        .default('RangeAllocator'),
    );
}

/** Options of node controllers: health, eviction. */
function addNodeFlags(command: Command): Command {
  return command
    .addOption(durationFlag('node-monitor-period', 'interval between checks of node health', 5_000))
    .addOption(
      durationFlag('node-monitor-grace-period', 'time without a heartbeat after which a node is unhealthy', 50_000),
    )
    .addOption(
      durationFlag(
        'node-startup-grace-period',
        'time without a heartbeat after which a starting node is unhealthy',
        60_000,
      ),
    )
    .option('--node-eviction-rate <n>', 'nodes a second whose pods are evicted when a zone is healthy', parseRate, 0.1)
    .option(
      '--secondary-node-eviction-rate <n>',
      'nodes a second whose pods are evicted when a large zone is unhealthy',
      parseRate,
      0.01,
    )
    .option('--large-cluster-size-threshold <n>', 'number of nodes above which a zone is large', parseCount, 50)
    .option(
      '--unhealthy-zone-threshold <share>',
      'fraction of NotReady nodes from which a zone is unhealthy',
      parseRate,
      0.55,
    );
}

export function controllerSettings(flags: ControllerManagerFlags): ControllerSettings {
  const { enableGarbageCollector, controllers } = flags;
  return {
    ...controllerBehaviour(flags),
    ...(!enableGarbageCollector && { enabled: [...controllers, '-garbage-collector-controller'] }),
    ...nodeIpamSettings(flags),
  };
}

/** The settings of `addControllerFlags`. */
export function controllerBehaviour(flags: ControllerFlags): ControllerSettings {
  return {
    enabled: flags.controllers,
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
    ...persistentVolumeSettings(flags),
    ...endpointSettings(flags),
    certificateSigning: { durationMs: flags.clusterSigningDuration },
    podGc: { terminatedThreshold: flags.terminatedPodGcThreshold },
    resourceQuota: { resyncMs: flags.resourceQuotaSyncPeriod },
    horizontalPodAutoscaler: {
      syncPeriodMs: flags.horizontalPodAutoscalerSyncPeriod,
      downscaleMs: flags.horizontalPodAutoscalerDownscaleStabilization,
      tolerance: flags.horizontalPodAutoscalerTolerance,
      cpuInitializationMs: flags.horizontalPodAutoscalerCpuInitializationPeriod,
      initialReadinessDelayMs: flags.horizontalPodAutoscalerInitialReadinessDelay,
    },
    legacyTokens: { periodMs: flags.legacyServiceAccountTokenCleanUpPeriod },
  };
}

/** Nodes get pod CIDRs only if both flags are set, as with kube-controller-manager. */
export function nodeIpamSettings(
  flags: Pick<
    ControllerManagerFlags,
    | 'allocateNodeCidrs'
    | 'clusterCidr'
    | 'nodeCidrMaskSize'
    | 'nodeCidrMaskSizeIpv4'
    | 'nodeCidrMaskSizeIpv6'
    | 'serviceClusterIpRange'
  >,
): Pick<ControllerSettings, 'nodeIpam'> {
  const { allocateNodeCidrs, clusterCidr = [], nodeCidrMaskSize, nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv6 } = flags;
  if (!allocateNodeCidrs) return {};
  if (clusterCidr.length === 0) throw new Error('--allocate-node-cidrs needs --cluster-cidr');
  const ranges = clusterCidr.map((cidr) => ({
    cidr,
    maskSize: nodeCidrMaskSize ?? (cidr.includes(':') ? nodeCidrMaskSizeIpv6 : nodeCidrMaskSizeIpv4),
  }));
  const { serviceClusterIpRange: serviceRanges = [] } = flags;
  const problems = [...clusterRangeProblems(ranges), ...serviceRangeProblems(serviceRanges)];
  if (problems.length > 0) throw new Error(problems.join('; '));
  return { nodeIpam: { ranges, serviceRanges } };
}

function serviceRangeProblems(ranges: readonly string[]): string[] {
  if (ranges.length > 2) return ['--service-cluster-ip-range can not contain more than two entries'];
  const families = new Set(ranges.map((range) => range.includes(':')));
  return families.size < ranges.length ? ['--service-cluster-ip-range: at most one range of each IP family'] : [];
}

function parseControllers(text: string): readonly string[] {
  const names = parseList(text);
  const problems = controllerProblems(names);
  if (problems.length > 0) throw new InvalidArgumentError(problems.join(', '));
  return names;
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (text.trim() === '' || !Number.isFinite(rate) || rate < 0) throw new InvalidArgumentError('it must be a number');
  return rate;
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
