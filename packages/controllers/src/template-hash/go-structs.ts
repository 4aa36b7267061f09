/**
 * The Go structs that a PodTemplateSpec is made of, as `k8s.io/api` v1.36 declares them: the fields in the order of
 * their declaration, each with its type. The hash of a template runs over a dump of these structs, so order, names and
 * pointers all count.
 *
 * A line is `Struct: Field type, …`. `Field=name` gives the name in JSON where it does not follow from that in Go; a
 * type alone is an embedded struct, whose fields are inlined in JSON (`metadata` is the exception). A type that is
 * neither a struct of this table nor a scalar is a named string.
 */
const declarations = `
PodTemplateSpec: ObjectMeta=metadata ObjectMeta, Spec PodSpec
ObjectMeta: Name string, GenerateName string, Namespace string, SelfLink string, UID types.UID, ResourceVersion string, Generation int64, CreationTimestamp Time, DeletionTimestamp *Time, DeletionGracePeriodSeconds *int64, Labels map, Annotations map, OwnerReferences []OwnerReference, Finalizers []string, ManagedFields []ManagedFieldsEntry
OwnerReference: APIVersion string, Kind string, Name string, UID types.UID, Controller *bool, BlockOwnerDeletion *bool
ManagedFieldsEntry: Manager string, Operation ManagedFieldsOperationType, APIVersion string, Time *Time, FieldsType string, FieldsV1 *FieldsV1, Subresource string
FieldsV1: Raw []uint8
PodSpec: Volumes []Volume, InitContainers []Container, Containers []Container, EphemeralContainers []EphemeralContainer, RestartPolicy RestartPolicy, TerminationGracePeriodSeconds *int64, ActiveDeadlineSeconds *int64, DNSPolicy DNSPolicy, NodeSelector map, ServiceAccountName string, DeprecatedServiceAccount=serviceAccount string, AutomountServiceAccountToken *bool, NodeName string, HostNetwork bool, HostPID bool, HostIPC bool, ShareProcessNamespace *bool, SecurityContext *PodSecurityContext, ImagePullSecrets []LocalObjectReference, Hostname string, Subdomain string, Affinity *Affinity, SchedulerName string, Tolerations []Toleration, HostAliases []HostAlias, PriorityClassName string, Priority *int32, DNSConfig *PodDNSConfig, ReadinessGates []PodReadinessGate, RuntimeClassName *string, EnableServiceLinks *bool, PreemptionPolicy *PreemptionPolicy, Overhead ResourceList, TopologySpreadConstraints []TopologySpreadConstraint, SetHostnameAsFQDN *bool, OS *PodOS, HostUsers *bool, SchedulingGates []PodSchedulingGate, ResourceClaims []PodResourceClaim, Resources *ResourceRequirements, HostnameOverride *string, SchedulingGroup *PodSchedulingGroup
Container: Name string, Image string, Command []string, Args []string, WorkingDir string, Ports []ContainerPort, EnvFrom []EnvFromSource, Env []EnvVar, Resources ResourceRequirements, ResizePolicy []ContainerResizePolicy, RestartPolicy *ContainerRestartPolicy, RestartPolicyRules []ContainerRestartRule, VolumeMounts []VolumeMount, VolumeDevices []VolumeDevice, LivenessProbe *Probe, ReadinessProbe *Probe, StartupProbe *Probe, Lifecycle *Lifecycle, TerminationMessagePath string, TerminationMessagePolicy TerminationMessagePolicy, ImagePullPolicy PullPolicy, SecurityContext *SecurityContext, Stdin bool, StdinOnce bool, TTY bool
EphemeralContainer: EphemeralContainerCommon, TargetContainerName string
EphemeralContainerCommon: Name string, Image string, Command []string, Args []string, WorkingDir string, Ports []ContainerPort, EnvFrom []EnvFromSource, Env []EnvVar, Resources ResourceRequirements, ResizePolicy []ContainerResizePolicy, RestartPolicy *ContainerRestartPolicy, RestartPolicyRules []ContainerRestartRule, VolumeMounts []VolumeMount, VolumeDevices []VolumeDevice, LivenessProbe *Probe, ReadinessProbe *Probe, StartupProbe *Probe, Lifecycle *Lifecycle, TerminationMessagePath string, TerminationMessagePolicy TerminationMessagePolicy, ImagePullPolicy PullPolicy, SecurityContext *SecurityContext, Stdin bool, StdinOnce bool, TTY bool
PodSecurityContext: SELinuxOptions *SELinuxOptions, WindowsOptions *WindowsSecurityContextOptions, RunAsUser *int64, RunAsGroup *int64, RunAsNonRoot *bool, SupplementalGroups []int64, SupplementalGroupsPolicy *SupplementalGroupsPolicy, FSGroup *int64, Sysctls []Sysctl, FSGroupChangePolicy *PodFSGroupChangePolicy, SeccompProfile *SeccompProfile, AppArmorProfile *AppArmorProfile, SELinuxChangePolicy *PodSELinuxChangePolicy
SecurityContext: Capabilities *Capabilities, Privileged *bool, SELinuxOptions *SELinuxOptions, WindowsOptions *WindowsSecurityContextOptions, RunAsUser *int64, RunAsGroup *int64, RunAsNonRoot *bool, ReadOnlyRootFilesystem *bool, AllowPrivilegeEscalation *bool, ProcMount *ProcMountType, SeccompProfile *SeccompProfile, AppArmorProfile *AppArmorProfile
Capabilities: Add []Capability, Drop []Capability
SELinuxOptions: User string, Role string, Type string, Level string
WindowsSecurityContextOptions: GMSACredentialSpecName *string, GMSACredentialSpec *string, RunAsUserName *string, HostProcess *bool
SeccompProfile: Type SeccompProfileType, LocalhostProfile *string
AppArmorProfile: Type AppArmorProfileType, LocalhostProfile *string
Sysctl: Name string, Value string
LocalObjectReference: Name string
Affinity: NodeAffinity *NodeAffinity, PodAffinity *PodAffinity, PodAntiAffinity *PodAntiAffinity
NodeAffinity: RequiredDuringSchedulingIgnoredDuringExecution *NodeSelector, PreferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm
NodeSelector: NodeSelectorTerms []NodeSelectorTerm
NodeSelectorTerm: MatchExpressions []NodeSelectorRequirement, MatchFields []NodeSelectorRequirement
NodeSelectorRequirement: Key string, Operator NodeSelectorOperator, Values []string
PreferredSchedulingTerm: Weight int32, Preference NodeSelectorTerm
PodAffinity: RequiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm, PreferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
PodAntiAffinity: RequiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm, PreferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
PodAffinityTerm: LabelSelector *LabelSelector, Namespaces []string, TopologyKey string, NamespaceSelector *LabelSelector, MatchLabelKeys []string, MismatchLabelKeys []string
WeightedPodAffinityTerm: Weight int32, PodAffinityTerm PodAffinityTerm
LabelSelector: MatchLabels map, MatchExpressions []LabelSelectorRequirement
LabelSelectorRequirement: Key string, Operator LabelSelectorOperator, Values []string
Toleration: Key string, Operator TolerationOperator, Value string, Effect TaintEffect, TolerationSeconds *int64
HostAlias: IP string, Hostnames []string
PodDNSConfig: Nameservers []string, Searches []string, Options []PodDNSConfigOption
PodDNSConfigOption: Name string, Value *string
PodReadinessGate: ConditionType PodConditionType
TopologySpreadConstraint: MaxSkew int32, TopologyKey string, WhenUnsatisfiable UnsatisfiableConstraintAction, LabelSelector *LabelSelector, MinDomains *int32, NodeAffinityPolicy *NodeInclusionPolicy, NodeTaintsPolicy *NodeInclusionPolicy, MatchLabelKeys []string
PodOS: Name OSName
PodSchedulingGate: Name string
PodResourceClaim: Name string, ResourceClaimName *string, ResourceClaimTemplateName *string
PodSchedulingGroup: PodGroupName *string
ResourceRequirements: Limits ResourceList, Requests ResourceList, Claims []ResourceClaim
ResourceClaim: Name string, Request string
ContainerPort: Name string, HostPort int32, ContainerPort int32, Protocol Protocol, HostIP string
EnvFromSource: Prefix string, ConfigMapRef *ConfigMapEnvSource, SecretRef *SecretEnvSource
ConfigMapEnvSource: LocalObjectReference, Optional *bool
SecretEnvSource: LocalObjectReference, Optional *bool
EnvVar: Name string, Value string, ValueFrom *EnvVarSource
EnvVarSource: FieldRef *ObjectFieldSelector, ResourceFieldRef *ResourceFieldSelector, ConfigMapKeyRef *ConfigMapKeySelector, SecretKeyRef *SecretKeySelector, FileKeyRef *FileKeySelector
ObjectFieldSelector: APIVersion string, FieldPath string
ResourceFieldSelector: ContainerName string, Resource string, Divisor Quantity
ConfigMapKeySelector: LocalObjectReference, Key string, Optional *bool
SecretKeySelector: LocalObjectReference, Key string, Optional *bool
FileKeySelector: VolumeName string, Path string, Key string, Optional *bool
ContainerResizePolicy: ResourceName ResourceName, RestartPolicy ResourceResizeRestartPolicy
ContainerRestartRule: Action ContainerRestartRuleAction, ExitCodes *ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: Operator ContainerRestartRuleOnExitCodesOperator, Values []int32
VolumeMount: Name string, ReadOnly bool, RecursiveReadOnly *RecursiveReadOnlyMode, MountPath string, SubPath string, MountPropagation *MountPropagationMode, SubPathExpr string
VolumeDevice: Name string, DevicePath string
Probe: ProbeHandler, InitialDelaySeconds int32, TimeoutSeconds int32, PeriodSeconds int32, SuccessThreshold int32, FailureThreshold int32, TerminationGracePeriodSeconds *int64
ProbeHandler: Exec *ExecAction, HTTPGet *HTTPGetAction, TCPSocket *TCPSocketAction, GRPC *GRPCAction
Lifecycle: PostStart *LifecycleHandler, PreStop *LifecycleHandler, StopSignal *Signal
LifecycleHandler: Exec *ExecAction, HTTPGet *HTTPGetAction, TCPSocket *TCPSocketAction, Sleep *SleepAction
ExecAction: Command []string
HTTPGetAction: Path string, Port IntOrString, Host string, Scheme URIScheme, HTTPHeaders []HTTPHeader
HTTPHeader: Name string, Value string
TCPSocketAction: Port IntOrString, Host string
GRPCAction: Port int32, Service *string
SleepAction: Seconds int64
Volume: Name string, VolumeSource
VolumeSource: HostPath *HostPathVolumeSource, EmptyDir *EmptyDirVolumeSource, GCEPersistentDisk *GCEPersistentDiskVolumeSource, AWSElasticBlockStore *AWSElasticBlockStoreVolumeSource, GitRepo *GitRepoVolumeSource, Secret *SecretVolumeSource, NFS *NFSVolumeSource, ISCSI *ISCSIVolumeSource, Glusterfs *GlusterfsVolumeSource, PersistentVolumeClaim *PersistentVolumeClaimVolumeSource, RBD *RBDVolumeSource, FlexVolume *FlexVolumeSource, Cinder *CinderVolumeSource, CephFS=cephfs *CephFSVolumeSource, Flocker *FlockerVolumeSource, DownwardAPI *DownwardAPIVolumeSource, FC *FCVolumeSource, AzureFile *AzureFileVolumeSource, ConfigMap *ConfigMapVolumeSource, VsphereVolume *VsphereVirtualDiskVolumeSource, Quobyte *QuobyteVolumeSource, AzureDisk *AzureDiskVolumeSource, PhotonPersistentDisk *PhotonPersistentDiskVolumeSource, Projected *ProjectedVolumeSource, PortworxVolume *PortworxVolumeSource, ScaleIO *ScaleIOVolumeSource, StorageOS=storageos *StorageOSVolumeSource, CSI *CSIVolumeSource, Ephemeral *EphemeralVolumeSource, Image *ImageVolumeSource
HostPathVolumeSource: Path string, Type *HostPathType
EmptyDirVolumeSource: Medium StorageMedium, SizeLimit *Quantity
GCEPersistentDiskVolumeSource: PDName string, FSType string, Partition int32, ReadOnly bool
AWSElasticBlockStoreVolumeSource: VolumeID string, FSType string, Partition int32, ReadOnly bool
GitRepoVolumeSource: Repository string, Revision string, Directory string
SecretVolumeSource: SecretName string, Items []KeyToPath, DefaultMode *int32, Optional *bool
KeyToPath: Key string, Path string, Mode *int32
NFSVolumeSource: Server string, Path string, ReadOnly bool
ISCSIVolumeSource: TargetPortal string, IQN string, Lun int32, ISCSIInterface string, FSType string, ReadOnly bool, Portals []string, DiscoveryCHAPAuth=chapAuthDiscovery bool, SessionCHAPAuth=chapAuthSession bool, SecretRef *LocalObjectReference, InitiatorName *string
GlusterfsVolumeSource: EndpointsName=endpoints string, Path string, ReadOnly bool
PersistentVolumeClaimVolumeSource: ClaimName string, ReadOnly bool
RBDVolumeSource: CephMonitors=monitors []string, RBDImage=image string, FSType string, RBDPool=pool string, RadosUser=user string, Keyring string, SecretRef *LocalObjectReference, ReadOnly bool
FlexVolumeSource: Driver string, FSType string, SecretRef *LocalObjectReference, ReadOnly bool, Options map
CinderVolumeSource: VolumeID string, FSType string, ReadOnly bool, SecretRef *LocalObjectReference
CephFSVolumeSource: Monitors []string, Path string, User string, SecretFile string, SecretRef *LocalObjectReference, ReadOnly bool
FlockerVolumeSource: DatasetName string, DatasetUUID string
DownwardAPIVolumeSource: Items []DownwardAPIVolumeFile, DefaultMode *int32
DownwardAPIVolumeFile: Path string, FieldRef *ObjectFieldSelector, ResourceFieldRef *ResourceFieldSelector, Mode *int32
FCVolumeSource: TargetWWNs []string, Lun *int32, FSType string, ReadOnly bool, WWIDs=wwids []string
AzureFileVolumeSource: SecretName string, ShareName string, ReadOnly bool
ConfigMapVolumeSource: LocalObjectReference, Items []KeyToPath, DefaultMode *int32, Optional *bool
VsphereVirtualDiskVolumeSource: VolumePath string, FSType string, StoragePolicyName string, StoragePolicyID string
QuobyteVolumeSource: Registry string, Volume string, ReadOnly bool, User string, Group string, Tenant string
AzureDiskVolumeSource: DiskName string, DataDiskURI=diskURI string, CachingMode *AzureDataDiskCachingMode, FSType *string, ReadOnly *bool, Kind *AzureDataDiskKind
PhotonPersistentDiskVolumeSource: PdID string, FSType string
ProjectedVolumeSource: Sources []VolumeProjection, DefaultMode *int32
VolumeProjection: Secret *SecretProjection, DownwardAPI *DownwardAPIProjection, ConfigMap *ConfigMapProjection, ServiceAccountToken *ServiceAccountTokenProjection, ClusterTrustBundle *ClusterTrustBundleProjection, PodCertificate *PodCertificateProjection
SecretProjection: LocalObjectReference, Items []KeyToPath, Optional *bool
DownwardAPIProjection: Items []DownwardAPIVolumeFile
ConfigMapProjection: LocalObjectReference, Items []KeyToPath, Optional *bool
ServiceAccountTokenProjection: Audience string, ExpirationSeconds *int64, Path string
ClusterTrustBundleProjection: Name *string, SignerName *string, LabelSelector *LabelSelector, Optional *bool, Path string
PodCertificateProjection: SignerName string, KeyType string, MaxExpirationSeconds *int32, CredentialBundlePath string, KeyPath string, CertificateChainPath string, UserAnnotations map
PortworxVolumeSource: VolumeID string, FSType string, ReadOnly bool
ScaleIOVolumeSource: Gateway string, System string, SecretRef *LocalObjectReference, SSLEnabled bool, ProtectionDomain string, StoragePool string, StorageMode string, VolumeName string, FSType string, ReadOnly bool
StorageOSVolumeSource: VolumeName string, VolumeNamespace string, FSType string, ReadOnly bool, SecretRef *LocalObjectReference
CSIVolumeSource: Driver string, ReadOnly *bool, FSType *string, VolumeAttributes map, NodePublishSecretRef *LocalObjectReference
EphemeralVolumeSource: VolumeClaimTemplate *PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate: ObjectMeta=metadata ObjectMeta, Spec PersistentVolumeClaimSpec
PersistentVolumeClaimSpec: AccessModes []PersistentVolumeAccessMode, Selector *LabelSelector, Resources VolumeResourceRequirements, VolumeName string, StorageClassName *string, VolumeMode *PersistentVolumeMode, DataSource *TypedLocalObjectReference, DataSourceRef *TypedObjectReference, VolumeAttributesClassName *string
VolumeResourceRequirements: Limits ResourceList, Requests ResourceList
TypedLocalObjectReference: APIGroup *string, Kind string, Name string
TypedObjectReference: APIGroup *string, Kind string, Name string, Namespace *string
ImageVolumeSource: Reference string, PullPolicy PullPolicy
`;

export interface GoField {
  readonly name: string;
  /** The name in JSON; none for an embedded struct, whose fields are inlined into the struct around it. */
  readonly json: string | undefined;
  readonly type: string;
}

let parsed: ReadonlyMap<string, readonly GoField[]> | undefined;

/** The fields of a struct in their order; `undefined` for every other type. */
export function goStruct(name: string): readonly GoField[] | undefined {
  parsed ??= new Map(declarations.trim().split('\n').map(parseStruct));
  return parsed.get(name);
}

function parseStruct(line: string): [string, GoField[]] {
  const [name = '', fields = ''] = line.split(': ');
  return [name, fields.split(', ').map(parseField)];
}

function parseField(text: string): GoField {
  const [names = '', type] = text.split(' ');
  if (type === undefined) return { name: names, json: undefined, type: names };
  const [name = '', json = jsonName(name)] = names.split('=');
  return { name, json, type };
}

/** `DNSPolicy` is `dnsPolicy`, `TTY` is `tty`, `HostPID` is `hostPID`. */
function jsonName(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase());
}
