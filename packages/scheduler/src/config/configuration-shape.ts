import type { PluginArguments } from './scheduler-configuration.js';
import { extensionPoints } from './scheduler-configuration.js';

/** The type of a value in a configuration: a Go type, a list, or a Go struct with its fields. */
export type Shape = 'int32' | 'int64' | 'string' | 'float32' | 'bool' | 'Duration' | 'any' | readonly [Shape] | Struct;

export interface Struct {
  /** The name of the Go struct with its package. */
  readonly struct: string;
  readonly fields: Readonly<Record<string, Shape>>;
}

const struct = (name: string, fields: Struct['fields']): Struct => ({ struct: name, fields });
/** Fields of every top-level object. */
const typed = { apiVersion: 'string', kind: 'string' } as const;

const plugin = struct('v1.Plugin', { name: 'string', weight: 'int32' });
const pluginSet = struct('v1.PluginSet', { enabled: [plugin], disabled: [plugin] });

const profile = struct('v1.KubeSchedulerProfile', {
  schedulerName: 'string',
  percentageOfNodesToScore: 'int32',
  plugins: struct(
    'v1.Plugins',
    Object.fromEntries([...extensionPoints, 'multiPoint'].map((point) => [point, pluginSet])),
  ),
  pluginConfig: [struct('v1.PluginConfig', { name: 'string', args: 'any' })],
});

const extender = struct('v1.Extender', {
  urlPrefix: 'string',
  filterVerb: 'string',
  preemptVerb: 'string',
  prioritizeVerb: 'string',
  weight: 'int64',
  bindVerb: 'string',
  enableHTTPS: 'bool',
  tlsConfig: struct('v1.ExtenderTLSConfig', {
    insecure: 'bool',
    serverName: 'string',
    certFile: 'string',
    keyFile: 'string',
    caFile: 'string',
    certData: 'string',
    keyData: 'string',
    caData: 'string',
  }),
  httpTimeout: 'Duration',
  nodeCacheCapable: 'bool',
  managedResources: [struct('v1.ExtenderManagedResource', { name: 'string', ignoredByScheduler: 'bool' })],
  ignorable: 'bool',
});

export const configurationShape = struct('v1.KubeSchedulerConfiguration', {
  ...typed,
  parallelism: 'int32',
  leaderElection: struct('v1alpha1.LeaderElectionConfiguration', {
    leaderElect: 'bool',
    leaseDuration: 'Duration',
    renewDeadline: 'Duration',
    retryPeriod: 'Duration',
    resourceLock: 'string',
    resourceName: 'string',
    resourceNamespace: 'string',
  }),
  clientConnection: struct('v1alpha1.ClientConnectionConfiguration', {
    kubeconfig: 'string',
    acceptContentTypes: 'string',
    contentType: 'string',
    qps: 'float32',
    burst: 'int32',
  }),
  enableProfiling: 'bool',
  enableContentionProfiling: 'bool',
  delayCacheUntilActive: 'bool',
  percentageOfNodesToScore: 'int32',
  podInitialBackoffSeconds: 'int64',
  podMaxBackoffSeconds: 'int64',
  profiles: [profile],
  extenders: [extender],
});

const requirement = struct('v1.NodeSelectorRequirement', { key: 'string', operator: 'string', values: ['string'] });
const term = struct('v1.NodeSelectorTerm', { matchExpressions: [requirement], matchFields: [requirement] });
const resources: Shape = [struct('v1.ResourceSpec', { name: 'string', weight: 'int64' })];

/** The arguments of each plugin that has any. */
export const argumentShapes: Readonly<Record<keyof PluginArguments, Struct>> = {
  DefaultPreemption: struct('v1.DefaultPreemptionArgs', {
    ...typed,
    minCandidateNodesPercentage: 'int32',
    minCandidateNodesAbsolute: 'int32',
  }),
  DynamicResources: struct('v1.DynamicResourcesArgs', {
    ...typed,
    filterTimeout: 'Duration',
    bindingTimeout: 'Duration',
  }),
  InterPodAffinity: struct('v1.InterPodAffinityArgs', {
    ...typed,
    hardPodAffinityWeight: 'int32',
    ignorePreferredTermsOfExistingPods: 'bool',
  }),
  NodeAffinity: struct('v1.NodeAffinityArgs', {
    ...typed,
    addedAffinity: struct('v1.NodeAffinity', {
      requiredDuringSchedulingIgnoredDuringExecution: struct('v1.NodeSelector', { nodeSelectorTerms: [term] }),
      preferredDuringSchedulingIgnoredDuringExecution: [
        struct('v1.PreferredSchedulingTerm', { weight: 'int32', preference: term }),
      ],
    }),
  }),
  NodeResourcesBalancedAllocation: struct('v1.NodeResourcesBalancedAllocationArgs', { ...typed, resources }),
  NodeResourcesFit: struct('v1.NodeResourcesFitArgs', {
    ...typed,
    ignoredResources: ['string'],
    ignoredResourceGroups: ['string'],
    scoringStrategy: struct('v1.ScoringStrategy', {
      type: 'string',
      resources,
      requestedToCapacityRatio: struct('v1.RequestedToCapacityRatioParam', {
        shape: [struct('v1.UtilizationShapePoint', { utilization: 'int32', score: 'int32' })],
      }),
    }),
  }),
  VolumeBinding: struct('v1.VolumeBindingArgs', { ...typed, bindTimeoutSeconds: 'int64' }),
  PodTopologySpread: struct('v1.PodTopologySpreadArgs', {
    ...typed,
    defaultingType: 'string',
    defaultConstraints: [
      struct('v1.TopologySpreadConstraint', {
        maxSkew: 'int32',
        topologyKey: 'string',
        whenUnsatisfiable: 'string',
        labelSelector: 'any',
        minDomains: 'int32',
        nodeAffinityPolicy: 'string',
        nodeTaintsPolicy: 'string',
        matchLabelKeys: ['string'],
      }),
    ],
  }),
};
