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
  /** How much its scores count. */
  readonly weight?: number;
  /** Without an authority in `tlsConfig`, whatever the server shows is believed. */
  readonly enableHTTPS?: boolean;
  readonly tlsConfig?: ExtenderTls;
  /** `5s` unless stated. */
  readonly httpTimeout?: string;
  /** It caches nodes: their names are sufficient. */
  readonly nodeCacheCapable?: boolean;
  /** Only pods that request one of these concern it; without any, all pods do. */
  readonly managedResources?: readonly ManagedResource[];
  /** Scheduling continues without it when it does not answer. */
  readonly ignorable?: boolean;
}

export interface ManagedResource {
  readonly name: string;
  /** The plugins do not look whether there is enough of it. */
  readonly ignoredByScheduler?: boolean;
}

/** Certificates and keys in PEM, by the names of their files or in base64. */
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
  /** The pods that name it are scheduled by this profile. */
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: PluginsConfiguration;
  readonly pluginConfig?: readonly PluginConfiguration[];
}

/** Plugins that are enabled and disabled at an extension point. */
export interface PluginSet {
  readonly enabled?: readonly { readonly name: string; readonly weight?: number }[];
  /** `*` is all default ones. */
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

/** How much of a resource counts, beside others. */
export interface WeightedResource {
  readonly name: string;
  readonly weight?: number;
}

export interface ScoringStrategy {
  readonly type?: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources?: readonly WeightedResource[];
  readonly requestedToCapacityRatio?: {
    /** Points of the line that scores follow; what is not said is 0. */
    readonly shape?: readonly { readonly utilization?: number; readonly score?: number }[];
  };
}

/** The arguments that plugins take, by the names of the plugins. */
export interface PluginArguments {
  readonly DefaultPreemption: {
    readonly minCandidateNodesPercentage?: number;
    readonly minCandidateNodesAbsolute?: number;
  };
  /** Durations as Go writes them. */
  readonly DynamicResources: {
    /** How long devices may be looked for on one node; `0s` is without a limit. */
    readonly filterTimeout?: string;
    /** How long devices may take to become ready. */
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

/** Filled in as upstream v1.36 fills it in. */
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
