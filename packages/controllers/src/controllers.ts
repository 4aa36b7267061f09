import type { CertificateSigner } from './certificates/certificate-signer.js';
import { requestApprover } from './certificates/request-approver.js';
import { requestCleaner } from './certificates/request-cleaner.js';
import { requestSigner } from './certificates/request-signer.js';
import { clusterRoleAggregationController } from './cluster-role-aggregation/cluster-role-aggregation-controller.js';
import type { Controller } from './controller.js';
import { cronJobController } from './cronjob/cronjob-controller.js';
import { daemonSetController } from './daemonset/daemonset-controller.js';
import { deploymentController } from './deployment/deployment-controller.js';
import { disruptionController } from './disruption/disruption-controller.js';
import { endpointsController } from './endpoints/endpoints-controller.js';
import { endpointSliceController } from './endpointslice/endpointslice-controller.js';
import { endpointSliceMirroringController } from './endpointslice-mirroring/endpointslice-mirroring-controller.js';
import { garbageCollector } from './garbage-collector/garbage-collector.js';
import { jobController } from './job/job-controller.js';
import { namespaceController } from './namespace/namespace-controller.js';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.js';
import { podGarbageCollector } from './pod-gc/pod-gc-controller.js';
import { replicaSetController } from './replicaset/replicaset-controller.js';
import { replicationController } from './replication-controller/replication-controller.js';
import { resourceQuotaController } from './resource-quota/resource-quota-controller.js';
import { rootCaPublisher } from './root-ca-publisher/root-ca-publisher.js';
import { serviceAccountController } from './service-account/service-account-controller.js';
import { type SignToken, tokenController } from './service-account/token-controller.js';
import { serviceCidrController } from './service-cidr/service-cidr-controller.js';
import { statefulSetController } from './statefulset/statefulset-controller.js';
import { taintEvictionController } from './taint-eviction/taint-eviction-controller.js';
import { ttlAfterFinishedController } from './ttl-after-finished/ttl-after-finished-controller.js';

export interface ControllerSettings {
  /** PEM, published into every namespace. */
  readonly caCertificate: string;
  /** Without it nobody signs certificate requests. */
  readonly certificateSigner?: CertificateSigner | undefined;
  /** Without it secrets for the tokens of service accounts stay empty. */
  readonly signToken?: SignToken | undefined;
}

/** Every controller of the manager, in the order in which they start. */
export function allControllers({ caCertificate, certificateSigner, signToken }: ControllerSettings): Controller[] {
  return [
    replicaSetController,
    deploymentController,
    replicationController,
    daemonSetController,
    statefulSetController,
    jobController,
    cronJobController,
    ttlAfterFinishedController,
    endpointSliceController(),
    endpointsController,
    endpointSliceMirroringController,
    serviceCidrController,
    nodeLifecycleController(),
    taintEvictionController,
    namespaceController,
    garbageCollector,
    resourceQuotaController,
    disruptionController,
    podGarbageCollector,
    serviceAccountController,
    ...(signToken ? [tokenController({ signToken, caCertificate })] : []),
    rootCaPublisher(caCertificate),
    requestApprover,
    ...(certificateSigner ? [requestSigner(certificateSigner)] : []),
    requestCleaner,
    clusterRoleAggregationController,
  ];
}
