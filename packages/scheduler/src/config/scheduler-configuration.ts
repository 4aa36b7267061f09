import type { NodeAffinity, TopologySpreadConstraint } from '@coracle/api';
import { attemptPoints } from '../framework/plugin.js';
import type { ProcessConfiguration } from './process-configuration.js';

/** `KubeSchedulerConfiguration` of `kubescheduler.config.k8s.io/v1`. */
export interface SchedulerConfiguration extends ProcessConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly parallelism?: number;
  readonly percentageOfNodesToScore?: number;
  readonly podInitialBackoffSeconds?: number;
  readonly podMaxBackoffSeconds?: number;
  readonly profiles?: readonly ProfileConfiguration[];
  readonly extenders?: readonly ExtenderConfiguration[];
}

/** An HTTP extender with its verbs: each is a path below the URL prefix. */
export interface ExtenderConfiguration {
  readonly urlPrefix: string;
  readonly filterVerb?: string;
  readonly prioritizeVerb?: string;
  readonly bindVerb?: string;
  readonly preemptVerb?: string;
  /** Weight of its scores. */
  readonly weight?: number;
  /** Without a CA in `tlsConfig`, the server's certificate is not verified. */
  readonly enableHTTPS?: boolean;
  readonly tlsConfig?: ExtenderTls;
  /** `5s` unless stated. */
  readonly httpTimeout?: string;
  /** Whether the extender caches nodes, so that their names are sufficient. */
  readonly nodeCacheCapable?: boolean;
  /** The extender is called only for pods that request one of these; without any, for all pods. */
  readonly managedResources?: readonly ManagedResource[];
  /** Whether scheduling continues without it when it does not respond. */
  readonly ignorable?: boolean;
}

export interface ManagedResource {
  readonly name: string;
  /** Whether plugins ignore this resource. */
  readonly ignoredByScheduler?: boolean;
}

/** Certificates and keys in PEM, as file names or in base64. */
export interface ExtenderTls {
  readonly insecure?: boolean;
  readonly serverName?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  readonly certData?: string;
  readonly keyData?: string;
  readonly caData?: string;
}

export interface ProfileConfiguration {
  /** The `schedulerName` of the pods that this profile schedules. */
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: PluginsConfiguration;
  readonly pluginConfig?: readonly PluginConfiguration[];
}

/** Plugins that are enabled and disabled at an extension point. */
export interface PluginSet {
  readonly enabled?: readonly { readonly name: string; readonly weight?: number }[];
  /** `*` means all default plugins. */
  readonly disabled?: readonly { readonly name: string }[];
}

/** The extension points, by their names in configurations. */
export const extensionPoints = ['preEnqueue', 'queueSort', ...attemptPoints] as const;

export type ExtensionPoint = (typeof extensionPoints)[number];

/** `multiPoint` enables a plugin at all of its extension points. */
export type PluginsConfiguration = Partial<Readonly<Record<ExtensionPoint | 'multiPoint', PluginSet>>>;

export interface PluginConfiguration {
  readonly name: string;
  readonly args?: unknown;
}

/** A resource and its weight. */
export interface WeightedResource {
  readonly name: string;
  readonly weight?: number;
}

export interface ScoringStrategy {
  readonly type?: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources?: readonly WeightedResource[];
  readonly requestedToCapacityRatio?: {
    /** Points of the piecewise linear score function; absent values are 0. */
    readonly shape?: readonly { readonly utilization?: number; readonly score?: number }[];
  };
}

/** The arguments that plugins take, by the names of the plugins. */
export interface PluginArguments {
  readonly DefaultPreemption: {
    readonly minCandidateNodesPercentage?: number;
    readonly minCandidateNodesAbsolute?: number;
  };
  /** Durations in Go's format. */
  readonly DynamicResources: {
    /** Timeout of the search for devices on one node; `0s` for no limit. */
    readonly filterTimeout?: string;
    /** Timeout for devices to become ready. */
    readonly bindingTimeout?: string;
  };
  readonly InterPodAffinity: {
    readonly hardPodAffinityWeight?: number;
    readonly ignorePreferredTermsOfExistingPods?: boolean;
  };
  readonly NodeAffinity: { readonly addedAffinity?: NodeAffinity };
  readonly NodeResourcesBalancedAllocation: { readonly resources?: readonly WeightedResource[] };
  readonly NodeResourcesFit: {
    readonly ignoredResources?: readonly string[];
    readonly ignoredResourceGroups?: readonly string[];
    readonly scoringStrategy?: ScoringStrategy;
  };
  readonly PodTopologySpread: {
    readonly defaultConstraints?: readonly TopologySpreadConstraint[];
    readonly defaultingType?: 'System' | 'List';
  };
  readonly VolumeBinding: { readonly bindTimeoutSeconds?: number };
}

export const defaultSchedulerName = 'default-scheduler';

/** The default plugins, in the order in which they are called, with the weights of their scores. */
export const defaultPluginSet: PluginSet = {
  enabled: [
    { name: 'SchedulingGates' },
    { name: 'PrioritySort' },
    { name: 'NodeUnschedulable' },
    { name: 'NodeName' },
    { name: 'TaintToleration', weight: 3 },
    { name: 'NodeAffinity', weight: 2 },
    { name: 'NodePorts' },
    { name: 'NodeResourcesFit', weight: 1 },
    { name: 'VolumeRestrictions' },
    { name: 'NodeVolumeLimits' },
    { name: 'VolumeBinding' },
    { name: 'VolumeZone' },
    { name: 'PodTopologySpread', weight: 2 },
    { name: 'InterPodAffinity', weight: 2 },
    { name: 'DynamicResources', weight: 2 },
    { name: 'DefaultPreemption' },
    { name: 'NodeResourcesBalancedAllocation', weight: 1 },
    { name: 'ImageLocality', weight: 1 },
    { name: 'DefaultBinder' },
  ],
};

/** A scheduler configuration with all defaults. */
export type CompleteConfiguration = ProcessConfiguration &
  Required<Omit<SchedulerConfiguration, keyof ProcessConfiguration>>;

/** With the defaults of upstream v1.36. */
export function withDefaults(configuration: SchedulerConfiguration): CompleteConfiguration {
  const profiles = configuration.profiles?.length ? configuration.profiles : [{}];
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    parallelism: 16,
    percentageOfNodesToScore: 0,
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 10,
    extenders: [],
    ...configuration,
    // A single profile needs no name; several must have distinct names.
    profiles: profiles.map((profile) =>
      profiles.length === 1 ? { schedulerName: defaultSchedulerName, ...profile } : profile,
    ),
  };
}
