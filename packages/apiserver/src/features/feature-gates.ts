import { type Feature, features } from './feature-table.js';

/** The gates that have an effect. Setting another one has none. */
const effectiveGates = [
  'APIResponseCompression',
  'CRDObservedGenerationTracking',
  'ClearingNominatedNodeNameAfterBinding',
  'ClusterTrustBundleProjection',
  'ComponentFlagz',
  'ComponentStatusz',
  'ConstrainedImpersonation',
  'ContainerRestartRules',
  'ContainerStopSignals',
  'CrossNamespaceVolumeDataSource',
  'DRAConsumableCapacity',
  'DRADeviceBindingConditions',
  'DRADeviceTaints',
  'DRAExtendedResource',
  'DRAListTypeAttributes',
  'DRANodeAllocatableResources',
  'DRAPartitionableDevices',
  'DRAPrioritizedList',
  'DRAResourceClaimDeviceStatus',
  'DRAWorkloadResourceClaims',
  'DeploymentReplicaSetTerminatingReplicas',
  'EnvFiles',
  'GenericWorkload',
  'HPAConfigurableTolerance',
  'HPAScaleToZero',
  'HostnameOverride',
  'InPlacePodLevelResourcesVerticalScaling',
  'MatchLabelKeysInPodTopologySpread',
  'MatchLabelKeysInPodTopologySpreadSelectorMerge',
  'MaxUnavailableStatefulSet',
  'MutablePVNodeAffinity',
  'NodeDeclaredFeatures',
  'PodCertificateRequest',
  'PodDeletionCost',
  'PodLevelResources',
  'PodLogsQuerySplitStreams',
  'ResourceHealthStatus',
  'SELinuxMount',
  'StorageVersionHash',
  'StrictIPCIDRValidation',
  'TopologyAwareWorkloadScheduling',
  'UserNamespacesHostNetworkSupport',
  'VolumeLimitScaling',
  'WatchList',
  'WorkloadAwarePreemption',
] as const;

export type Gate = (typeof effectiveGates)[number];

/** Gates that set every gate of a stage that is not set by name. */
const allOfAStage = { AllAlpha: 'ALPHA', AllBeta: 'BETA' } as const;

/** The enabled and disabled gates of a server. They do not change while it runs. */
export class FeatureGates {
  readonly #set: Readonly<Record<string, boolean>>;
  /** Called for every write. */
  readonly #on: ReadonlySet<Gate>;

  constructor(set: Readonly<Record<string, boolean>> = {}) {
    this.#set = set;
    this.#on = new Set(effectiveGates.filter((gate) => this.#isOn(features.get(gate) as Feature)));
  }

  isOn(gate: Gate): boolean {
    return this.#on.has(gate);
  }

  /** All gates. */
  *all(): Generator<Feature & { readonly isOn: boolean }> {
    for (const feature of features.values()) yield { ...feature, isOn: this.#isOn(feature) };
  }

  #isOn({ name, stage, default: usual, isLocked }: Feature): boolean {
    if (isLocked) return usual;
    const own = this.#set[name];
    if (own !== undefined) return own;
    for (const [gate, which] of Object.entries(allOfAStage))
      if (which === stage && name !== gate) return this.#set[gate] ?? usual;
    return usual;
  }
}

/** The defaults of upstream v1.36. */
export const usualFeatures = new FeatureGates();

/** Why a gate cannot be set to this value, with upstream's message; `undefined` if it can. */
export function gateProblem(name: string, value: boolean): string | undefined {
  const feature = features.get(name);
  if (!feature) return `unrecognized feature gate: ${name}`;
  if (feature.isLocked && value !== feature.default)
    return `cannot set feature gate ${name} to ${value}, feature is locked to ${feature.default}`;
  return undefined;
}

/** Whether a gate, or one of the gates that it sets, has an effect. */
export function decidesSomething(name: string): boolean {
  return (effectiveGates as readonly string[]).includes(name) || name in allOfAStage;
}
