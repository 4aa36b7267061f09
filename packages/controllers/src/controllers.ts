import { ownValue } from '@coracle/base';
import { type AttachDetachOptions, attachDetachController } from './attach-detach/attach-detach-controller.js';
import { bootstrapSigner } from './bootstrap/bootstrap-signer.js';
import { tokenCleaner } from './bootstrap/token-cleaner.js';
import type { CertificateSigner, SignerFor } from './certificates/certificate-signer.js';
import { podRequestCleaner } from './certificates/pod-request-cleaner.js';
import { requestApprover } from './certificates/request-approver.js';
import { requestCleaner } from './certificates/request-cleaner.js';
import { type RequestSignerOptions, requestSigner } from './certificates/request-signer.js';
import { clusterRoleAggregationController } from './cluster-role-aggregation/cluster-role-aggregation-controller.js';
import type { Controller } from './controller.js';
import { cronJobController } from './cronjob/cronjob-controller.js';
import { daemonSetController } from './daemonset/daemonset-controller.js';
import { deploymentController } from './deployment/deployment-controller.js';
import { deviceTaintEvictionController } from './device-taint-eviction/device-taint-eviction-controller.js';
import { disruptionController } from './disruption/disruption-controller.js';
import { type EndpointsOptions, endpointsController } from './endpoints/endpoints-controller.js';
import { type EndpointSliceOptions, endpointSliceController } from './endpointslice/endpointslice-controller.js';
import {
  type EndpointSliceMirroringOptions,
  endpointSliceMirroringController,
} from './endpointslice-mirroring/endpointslice-mirroring-controller.js';
import { ephemeralVolumeController } from './ephemeral-volume/ephemeral-volume-controller.js';
import { garbageCollector } from './garbage-collector/garbage-collector.js';
import {
  type HorizontalPodAutoscalerOptions,
  horizontalPodAutoscalerController,
} from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.js';
import { jobController } from './job/job-controller.js';
import { type LegacyTokenCleanerOptions, legacyTokenCleaner } from './legacy-token-cleaner/legacy-token-cleaner.js';
import { type LocalPathOptions, localPathProvisioner } from './local-path-provisioner/local-path-provisioner.js';
import { namespaceController } from './namespace/namespace-controller.js';
import { type NodeIpamOptions, nodeIpamController } from './node-ipam/node-ipam-controller.js';
import { type NodeLifecycleOptions, nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.js';
import { nodeTtlController } from './node-ttl/node-ttl-controller.js';
import {
  type PersistentVolumeBinderOptions,
  persistentVolumeBinder,
} from './persistent-volume-binder/persistent-volume-binder.js';
import { type PodGcOptions, podGarbageCollector } from './pod-gc/pod-gc-controller.js';
import { podGroupProtectionController } from './pod-group-protection/pod-group-protection-controller.js';
import { pvProtectionController } from './pv-protection/pv-protection-controller.js';
import { pvcProtectionController } from './pvc-protection/pvc-protection-controller.js';
import { replicaSetController } from './replicaset/replicaset-controller.js';
import { replicationController } from './replication-controller/replication-controller.js';
import { resourceClaimController } from './resource-claim/resource-claim-controller.js';
import { type ResourceQuotaOptions, resourceQuotaController } from './resource-quota/resource-quota-controller.js';
import { rootCaPublisher } from './root-ca-publisher/root-ca-publisher.js';
import { selectControllers } from './select-controllers.js';
import { selinuxWarningController } from './selinux-warning/selinux-warning-controller.js';
import { serviceAccountController } from './service-account/service-account-controller.js';
import { type SignToken, tokenController } from './service-account/token-controller.js';
import { serviceCidrController } from './service-cidr/service-cidr-controller.js';
import {
  type LoadBalancerOptions,
  serviceLoadBalancerController,
} from './service-load-balancer/service-load-balancer-controller.js';
import { statefulSetController } from './statefulset/statefulset-controller.js';
import { storageVersionGc } from './storage-version-gc/storage-version-gc.js';
import { storageVersionMigrator } from './storage-version-migrator/storage-version-migrator.js';
import { taintEvictionController } from './taint-eviction/taint-eviction-controller.js';
import { trustBundlePublisher } from './trust-bundle-publisher/trust-bundle-publisher.js';
import { ttlAfterFinishedController } from './ttl-after-finished/ttl-after-finished-controller.js';
import { vacProtectionController } from './vac-protection/vac-protection-controller.js';
import { validatingAdmissionPolicyStatusController } from './validating-admission-policy-status/validating-admission-policy-status-controller.js';
import { volumeExpandController } from './volume-expand/volume-expand-controller.js';

export interface ControllerSettings {
  /** CA certificate in PEM, published into every namespace. */
  readonly caCertificate: string;
  /** Without it certificate requests are not signed. */
  readonly certificateSigner?: CertificateSigner | undefined;
  /** Signers by signer name, instead of one for all. Requests for other names are not signed. */
  readonly certificateSigners?: Readonly<Record<string, CertificateSigner>> | undefined;
  /** Without it, service account token secrets stay empty. */
  readonly signToken?: SignToken | undefined;
  /** The value of `--controllers`: `*` and names, disabled ones with a minus. All by default. */
  readonly enabled?: readonly string[] | undefined;
  readonly nodeLifecycle?: NodeLifecycleOptions | undefined;
  /** Without it nodes get no pod CIDRs. */
  readonly nodeIpam?: NodeIpamOptions | undefined;
  readonly horizontalPodAutoscaler?: HorizontalPodAutoscalerOptions | undefined;
  /** Without it volumes of the class `local-path` are not provisioned. */
  readonly localPath?: LocalPathOptions | undefined;
  /** Without it services of type LoadBalancer get no addresses. */
  readonly loadBalancer?: LoadBalancerOptions | undefined;
  readonly attachDetach?: AttachDetachOptions | undefined;
  readonly podGc?: PodGcOptions | undefined;
  readonly certificateSigning?: RequestSignerOptions | undefined;
  readonly persistentVolumeBinder?: PersistentVolumeBinderOptions | undefined;
  readonly endpoints?: EndpointsOptions | undefined;
  readonly endpointSliceMirroring?: EndpointSliceMirroringOptions | undefined;
  readonly endpointSlice?: EndpointSliceOptions | undefined;
  readonly resourceQuota?: ResourceQuotaOptions | undefined;
  readonly legacyTokens?: LegacyTokenCleanerOptions | undefined;
}

/**
 * The controllers of the manager, in the order in which they start: first the one that creates service account tokens,
 * which others may use.
 */
export function allControllers(settings: ControllerSettings): Controller[] {
  const { caCertificate, signToken, enabled = ['*'] } = settings;
  const signerFor = signersOf(settings);
  const all = [
    ...(signToken ? [tokenController({ signToken, caCertificate })] : []),
    replicaSetController,
    deploymentController,
    replicationController,
    daemonSetController,
    statefulSetController,
    jobController,
    cronJobController,
    ttlAfterFinishedController,
    endpointSliceController(settings.endpointSlice),
    endpointsController(settings.endpoints),
    endpointSliceMirroringController(settings.endpointSliceMirroring),
    serviceCidrController,
    ...(settings.loadBalancer ? [serviceLoadBalancerController(settings.loadBalancer)] : []),
    ...(settings.nodeIpam ? [nodeIpamController(settings.nodeIpam)] : []),
    nodeLifecycleController(settings.nodeLifecycle),
    taintEvictionController,
    namespaceController,
    garbageCollector,
    resourceQuotaController(settings.resourceQuota),
    disruptionController,
    podGarbageCollector(settings.podGc),
    pvcProtectionController,
    pvProtectionController,
    vacProtectionController,
    podGroupProtectionController,
    serviceAccountController,
    legacyTokenCleaner(settings.legacyTokens),
    rootCaPublisher(caCertificate),
    ...(caCertificate === '' ? [] : [trustBundlePublisher(caCertificate)]),
    storageVersionMigrator,
    storageVersionGc,
    requestApprover,
    ...(signerFor ? [requestSigner(signerFor, settings.certificateSigning)] : []),
    requestCleaner,
    podRequestCleaner,
    clusterRoleAggregationController,
    validatingAdmissionPolicyStatusController,
    nodeTtlController,
    bootstrapSigner,
    tokenCleaner,
    persistentVolumeBinder(settings.persistentVolumeBinder),
    ...(settings.localPath ? [localPathProvisioner(settings.localPath)] : []),
    ephemeralVolumeController,
    attachDetachController(settings.attachDetach),
    selinuxWarningController,
    volumeExpandController,
    resourceClaimController,
    deviceTaintEvictionController,
    horizontalPodAutoscalerController(settings.horizontalPodAutoscaler),
  ];
  return selectControllers(all, enabled);
}

function signersOf({ certificateSigner, certificateSigners }: ControllerSettings): SignerFor | undefined {
  if (certificateSigners) return (name) => ownValue(certificateSigners, name);
  return certificateSigner && (() => certificateSigner);
}
