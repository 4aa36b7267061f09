import { type Feature, features } from './feature-table.js';

/** The gates that decide something here. To switch another has no effect. */
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

/** What is on and what is off, from the start of a server to its end. */
export class FeatureGates {
  readonly #set: Readonly<Record<string, boolean>>;
  /** Asked for with every write. */
  readonly #on: ReadonlySet<Gate>;

  constructor(set: Readonly<Record<string, boolean>> = {}) {
    this.#set = set;
    this.#on = new Set(effectiveGates.filter((gate) => this.#isOn(features.get(gate) as Feature)));
  }

  isOn(gate: Gate): boolean {
    return this.#on.has(gate);
  }

  /** Every gate there is. */
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

/** As in upstream v1.36. */
export const usualFeatures = new FeatureGates();

/** Why a gate cannot be set to this value, with upstream's message; `undefined` if it can. */
export function gateProblem(name: string, value: boolean): string | undefined {
  const feature = features.get(name);
  if (!feature) return `unrecognized feature gate: ${name}`;
  if (feature.isLocked && value !== feature.default)
    return `cannot set feature gate ${name} to ${value}, feature is locked to ${feature.default}`;
  return undefined;
}

/** Whether a gate, or one that stands for many, decides something here. */
export function decidesSomething(name: string): boolean {
  return (effectiveGates as readonly string[]).includes(name) || name in allOfAStage;
}
