export type Stage = 'ALPHA' | 'BETA' | 'GA' | 'DEPRECATED';

/** A part of Kubernetes that can be switched on or off, or once could. */
export interface Feature {
  readonly name: string;
  readonly stage: Stage;
  readonly default: boolean;
  /** It stays as it is. */
  readonly isLocked: boolean;
}

interface Group extends Omit<Feature, 'name'> {
  readonly names: string;
}

/** Every gate of Kubernetes v1.36, by what it is unless somebody says otherwise. */
const groups: readonly Group[] = [
  {
    stage: 'GA',
    default: true,
    isLocked: true,
    names: `
  APIServerTracing AggregatedDiscoveryRemoveBetaType AnonymousAuthConfigurableEndpoints AnyVolumeDataSource
  AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting
  CSIServiceAccountTokenSecrets ConsistentListFromCache CustomResourceFieldSelectors DisableAllocatorDualWrite
  DynamicResourceAllocation ExecProbeTimeout HonorPVReclaimPolicy ImageMaximumGCAge InPlacePodVerticalScaling
  JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI
  KubeletFineGrainedAuthz KubeletTracing LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator
  NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeSwap OrderedNamespaceDeletion
  PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking PodSchedulingReadiness
  PreferSameTrafficDistribution RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedDNSSearchValidation
  RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName SchedulerQueueingHints
  SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
  ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers
  StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
  SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions VolumeAttributesClass WinDSR WinOverlay`,
  },
  {
    stage: 'BETA',
    default: true,
    isLocked: false,
    names: `
  APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
  AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions ClearingNominatedNodeNameAfterBinding
  ContainerCheckpoint ContainerRestartRules ContextualLogging DRAAdminAccess DRAPrioritizedList
  DRAResourceClaimDeviceStatus DRASchedulerFilterTimeout DeclarativeValidation
  DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency DisableCPUQuotaWithExclusiveCPUs EnvFiles
  ExternalServiceAccountTokenSigner GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority
  HPAConfigurableTolerance HostnameOverride ImageVolume InOrderInformers InOrderInformersBatchProcess
  InformerResourceVersion KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletPSI
  KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletPodResourcesListUseActivePods
  KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot
  MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge MaxUnavailableStatefulSet
  MutableCSINodeAllocatableCount NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PodDeletionCost
  PodLevelResources PodReadyToStartContainersCondition PodTopologyLabelsAdmission PortForwardWebsockets
  PreventStaticPodAPIReferences ProcMountType RelaxedServiceNameValidation ReloadKubeletServerCertificateFile
  RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage RotateKubeletServerCertificate
  SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerAsyncPreemption SchedulerPopFromBackoffQ
  ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate StatefulSetSemanticRevisionComparison
  StorageNamespaceIndex StorageVersionHash StructuredAuthenticationConfigurationEgressSelector
  StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
  TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
  UnlockWhileProcessingFIFO UserNamespacesSupport WatchCacheInitializationPostStartHook WatchList WatchListClient
  WindowsGracefulNodeShutdown`,
  },
  {
    stage: 'DEPRECATED',
    default: true,
    isLocked: false,
    names: `
  DisableNodeKubeProxyVersion`,
  },
  {
    stage: 'BETA',
    default: false,
    isLocked: false,
    names: `
  AllBeta ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection
  DeclarativeValidationTakeover LoggingBetaOptions MutatingAdmissionPolicy PodCertificateRequest SELinuxMount
  StorageVersionMigrator`,
  },
  {
    stage: 'ALPHA',
    default: false,
    isLocked: false,
    names: `
  APIServingWithRoutine AllAlpha AllowUnsafeMalformedObjectDeletion CBORServingAndStorage
  CPUManagerPolicyAlphaOptions CRDObservedGenerationTracking CSIVolumeHealth ChangeContainerStatusOnKubeletRestart
  ClientsAllowCBOR ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation
  CloudControllerManagerWebhook ComponentFlagz ComponentStatusz ConstrainedImpersonation ContainerStopSignals
  CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod DRAConsumableCapacity DRADeviceBindingConditions
  DRADeviceTaintRules DRADeviceTaints DRAExtendedResource DRAPartitionableDevices EventedPLEG GangScheduling
  GenericWorkload HPAScaleToZero ImageVolumeWithDigest InPlacePodLevelResourcesVerticalScaling
  InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace
  LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions MemoryQoS MutablePVNodeAffinity
  MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures NodeLogQuery
  PodAndContainerStatsFromCRI PodLogsQuerySplitStreams QOSReserved ReduceDefaultCrashLoopBackOffDecay
  RestartAllContainersOnContainerExits RuntimeClassInImageCriApi SchedulerAsyncAPICalls SeparateCacheWatchRPC
  StorageCapacityScoring StorageVersionAPI StrictIPCIDRValidation TaintTolerationComparisonOperators
  TopologyManagerPolicyAlphaOptions UnknownVersionInteroperabilityProxy UserNamespacesHostNetworkSupport
  VolumeLimitScaling WindowsCPUAndMemoryAffinity WindowsHostNetwork`,
  },
  {
    stage: 'DEPRECATED',
    default: false,
    isLocked: false,
    names: `
  AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds
  GitRepoVolumeDriver InPlacePodVerticalScalingAllocatedStatus KMSv1 KubeletRegistrationGetOnExistsOnly`,
  },
];

export const features: ReadonlyMap<string, Feature> = new Map(
  groups.flatMap(({ names, ...rest }) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, { name, ...rest }] as const),
  ),
);
