import type { PodSpec } from '../../generated/types/core-v1.js';
import { type InternalTypes, toInternalForm } from '../../validation/internal-form.js';

/** A pod spec as messages print it: the host namespaces are in the security context there. */
export function podSpecInternalForm(spec: PodSpec): unknown {
  const { hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace } = spec;
  const securityContext = { ...spec.securityContext, hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace };
  return toInternalForm({ ...spec, securityContext }, 'PodSpec', podTypes);
}

/** The types a pod is made of; see `InternalTypes` for how to read them. */
export const podTypes: InternalTypes = {
  PodSpec:
    'Volumes:[Volume] InitContainers:[Container] Containers:[Container] EphemeralContainers:[EphemeralContainer] RestartPolicy:s TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy:s NodeSelector ServiceAccountName:s AutomountServiceAccountToken NodeName:s SecurityContext:*PodSecurityContext ImagePullSecrets:[LocalObjectReference] Hostname:s Subdomain:s SetHostnameAsFQDN Affinity:*Affinity SchedulerName:s Tolerations:[Toleration] HostAliases:[HostAlias] PriorityClassName:s Priority PreemptionPolicy DNSConfig:*PodDNSConfig ReadinessGates:[PodReadinessGate] RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints:[TopologySpreadConstraint] OS:*PodOS SchedulingGates:[PodSchedulingGate] ResourceClaims:[PodResourceClaim] Resources:*ResourceRequirements HostnameOverride SchedulingGroup',
  Container:
    'Name:s Image:s Command Args WorkingDir:s Ports:[ContainerPort] EnvFrom:[EnvFromSource] Env:[EnvVar] Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy] RestartPolicy RestartPolicyRules:[ContainerRestartRule] VolumeMounts:[VolumeMount] VolumeDevices:[VolumeDevice] LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY:b',
  EphemeralContainer:
    'Name:s Image:s Command Args WorkingDir:s Ports:[ContainerPort] EnvFrom:[EnvFromSource] Env:[EnvVar] Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy] RestartPolicy RestartPolicyRules:[ContainerRestartRule] VolumeMounts:[VolumeMount] VolumeDevices:[VolumeDevice] LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY:b TargetContainerName:s',
  ContainerPort: 'Name:s HostPort:n ContainerPort:n Protocol:s HostIP:s',
  ContainerResizePolicy: 'ResourceName:s RestartPolicy:s',
  ContainerRestartRule: 'Action:s ExitCodes:*ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'Operator:s Values',
  EnvFromSource: 'Prefix:s ConfigMapRef:*OptionalReference SecretRef:*OptionalReference',
  OptionalReference: 'Name:s Optional',
  EnvVar: 'Name:s Value:s ValueFrom:*EnvVarSource',
  EnvVarSource:
    'FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*KeySelector SecretKeyRef:*KeySelector FileKeyRef:*FileKeySelector',
  ObjectFieldSelector: 'APIVersion:s FieldPath:s',
  ResourceFieldSelector: 'ContainerName:s Resource:s Divisor',
  KeySelector: 'Name:s Key:s Optional',
  FileKeySelector: 'VolumeName:s Path:s Key:s Optional',
  ResourceRequirements: 'Limits Requests Claims:[ResourceClaim]',
  ResourceClaim: 'Name:s Request:s',
  VolumeMount: 'Name:s ReadOnly:b RecursiveReadOnly MountPath:s SubPath:s MountPropagation SubPathExpr:s',
  VolumeDevice: 'Name:s DevicePath:s',
  Probe:
    'Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction GRPC:*GRPCAction InitialDelaySeconds:n TimeoutSeconds:n PeriodSeconds:n SuccessThreshold:n FailureThreshold:n TerminationGracePeriodSeconds',
  ExecAction: 'Command',
  HTTPGetAction: 'Path:s Port Host:s Scheme:s HTTPHeaders:[NameValue]',
  TCPSocketAction: 'Port Host:s',
  GRPCAction: 'Port:n Service',
  SleepAction: 'Seconds:n',
  NameValue: 'Name:s Value:s',
  Lifecycle: 'PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal',
  LifecycleHandler: 'Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction Sleep:*SleepAction',
  SecurityContext:
    'Capabilities:*Capabilities Privileged SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile:*Profile AppArmorProfile:*Profile',
  Capabilities: 'Add Drop',
  SELinuxOptions: 'User:s Role:s Type:s Level:s',
  WindowsOptions: 'GMSACredentialSpecName GMSACredentialSpec RunAsUserName HostProcess',
  Profile: 'Type:s LocalhostProfile',
  PodSecurityContext:
    'HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace HostUsers SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls:[NameValue] SeccompProfile:*Profile AppArmorProfile:*Profile SELinuxChangePolicy',
  LocalObjectReference: 'Name:s',
  Affinity: 'NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAffinity',
  NodeAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]',
  NodeSelector: 'NodeSelectorTerms:[NodeSelectorTerm]',
  NodeSelectorTerm: 'MatchExpressions:[NodeSelectorRequirement] MatchFields:[NodeSelectorRequirement]',
  NodeSelectorRequirement: 'Key:s Operator:s Values',
  PreferredSchedulingTerm: 'Weight:n Preference:NodeSelectorTerm',
  PodAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm] PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]',
  WeightedPodAffinityTerm: 'Weight:n PodAffinityTerm:PodAffinityTerm',
  PodAffinityTerm:
    'LabelSelector:*LabelSelector Namespaces TopologyKey:s NamespaceSelector:*LabelSelector MatchLabelKeys MismatchLabelKeys',
  LabelSelector: '~matchLabels matchExpressions:[LabelSelectorRequirement]',
  LabelSelectorRequirement: '~key operator values',
  Toleration: 'Key:s Operator:s Value:s Effect:s TolerationSeconds',
  HostAlias: 'IP:s Hostnames',
  PodDNSConfig: 'Nameservers Searches Options:[PodDNSConfigOption]',
  PodDNSConfigOption: 'Name:s Value',
  PodReadinessGate: 'ConditionType:s',
  TopologySpreadConstraint:
    'MaxSkew:n TopologyKey:s WhenUnsatisfiable:s LabelSelector:*LabelSelector MinDomains NodeAffinityPolicy NodeTaintsPolicy MatchLabelKeys',
  PodOS: 'Name:s',
  PodSchedulingGate: 'Name:s',
  PodResourceClaim: 'Name:s ResourceClaimName ResourceClaimTemplateName',
  Volume:
    'Name:s HostPath:*HostPath EmptyDir:*EmptyDir GCEPersistentDisk:*GCEPersistentDisk AWSElasticBlockStore:*AWSElasticBlockStore GitRepo:*GitRepo Secret:*SecretVolume NFS:*NFS ISCSI:*ISCSI Glusterfs:*Glusterfs PersistentVolumeClaim:*ClaimVolume RBD:*RBD Quobyte:*Quobyte FlexVolume:*FlexVolume Cinder:*Cinder CephFS=cephfs:*CephFS Flocker:*Flocker DownwardAPI:*DownwardAPIVolume FC:*FC AzureFile:*AzureFile ConfigMap:*ConfigMapVolume VsphereVolume:*VsphereVolume AzureDisk:*AzureDisk PhotonPersistentDisk:*PhotonDisk Projected:*ProjectedVolume PortworxVolume:*PortworxVolume ScaleIO:*ScaleIO StorageOS=storageos:*StorageOS CSI:*CSIVolume Ephemeral:*EphemeralVolume Image:*ImageVolume',
  HostPath: 'Path:s Type',
  EmptyDir: 'Medium:s SizeLimit',
  GCEPersistentDisk: 'PDName:s FSType:s Partition:n ReadOnly:b',
  AWSElasticBlockStore: 'VolumeID:s FSType:s Partition:n ReadOnly:b',
  GitRepo: 'Repository:s Revision:s Directory:s',
  SecretVolume: 'SecretName:s Items:[KeyToPath] DefaultMode Optional',
  ConfigMapVolume: 'Name:s Items:[KeyToPath] DefaultMode Optional',
  KeyToPath: 'Key:s Path:s Mode',
  NFS: 'Server:s Path:s ReadOnly:b',
  ISCSI:
    'TargetPortal:s IQN:s Lun:n ISCSIInterface=iscsiInterface:s FSType:s ReadOnly:b Portals DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*LocalObjectReference InitiatorName',
  Glusterfs: 'EndpointsName=endpoints:s Path:s ReadOnly:b',
  ClaimVolume: 'ClaimName:s ReadOnly:b',
  RBD: 'CephMonitors=monitors RBDImage=image:s FSType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*LocalObjectReference ReadOnly:b',
  Quobyte: 'Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s',
  FlexVolume: 'Driver:s FSType:s SecretRef:*LocalObjectReference ReadOnly:b Options',
  Cinder: 'VolumeID:s FSType:s ReadOnly:b SecretRef:*LocalObjectReference',
  CephFS: 'Monitors Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b',
  Flocker: 'DatasetName:s DatasetUUID:s',
  DownwardAPIVolume: 'Items:[DownwardAPIFile] DefaultMode',
  DownwardAPIFile: 'Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode',
  FC: 'TargetWWNs Lun FSType:s ReadOnly:b WWIDs=wwids',
  AzureFile: 'SecretName:s ShareName:s ReadOnly:b',
  VsphereVolume: 'VolumePath:s FSType:s StoragePolicyName:s StoragePolicyID:s',
  AzureDisk: 'DiskName:s DataDiskURI=diskURI:s CachingMode FSType ReadOnly Kind',
  PhotonDisk: 'PdID:s FSType:s',
  ProjectedVolume: 'Sources:[VolumeProjection] DefaultMode',
  VolumeProjection:
    'Secret:*KeyProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*KeyProjection ServiceAccountToken:*TokenProjection ClusterTrustBundle:*TrustBundleProjection PodCertificate:*PodCertificate',
  KeyProjection: 'Name:s Items:[KeyToPath] Optional',
  DownwardAPIProjection: 'Items:[DownwardAPIFile]',
  TokenProjection: 'Audience:s ExpirationSeconds:n Path:s',
  TrustBundleProjection: 'Name SignerName LabelSelector:*LabelSelector Optional Path:s',
  PodCertificate:
    'SignerName:s KeyType:s MaxExpirationSeconds CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations',
  PortworxVolume: 'VolumeID:s FSType:s ReadOnly:b',
  ScaleIO:
    'Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType:s ReadOnly:b',
  StorageOS: 'VolumeName:s VolumeNamespace:s FSType:s ReadOnly:b SecretRef:*LocalObjectReference',
  CSIVolume: 'Driver:s ReadOnly FSType VolumeAttributes NodePublishSecretRef:*LocalObjectReference',
  EphemeralVolume: 'VolumeClaimTemplate',
  ImageVolume: 'Reference:s PullPolicy:s',
};
