import { alignTabs } from '../printers/tab-writer.js';
import type { Fields } from '../values.js';
import { textAt } from '../values.js';
import { describeGeneric } from './generic.js';
import type { Describer, DescribeTools } from './tools.js';
import { DescribeWriter } from './writer.js';

/** Which description a kind has; all others are described by their fields. */
const describers: Readonly<Record<string, () => Promise<Describer>>> = {
  '/Pod': async () => (await import('./pods.js')).describePod,
  '/ReplicationController': async () => (await import('./workloads.js')).describeReplicaSet,
  '/Secret': async () => (await import('./config.js')).describeSecret,
  '/Service': async () => (await import('./network.js')).describeService,
  '/ServiceAccount': async () => (await import('./config.js')).describeServiceAccount,
  '/Node': async () => (await import('./node.js')).describeNode,
  '/LimitRange': async () => (await import('./config.js')).describeLimitRange,
  '/ResourceQuota': async () => (await import('./config.js')).describeResourceQuota,
  '/PersistentVolume': async () => (await import('./storage.js')).describePersistentVolume,
  '/PersistentVolumeClaim': async () => (await import('./storage.js')).describePersistentVolumeClaim,
  '/Namespace': async () => (await import('./config.js')).describeNamespace,
  '/Endpoints': async () => (await import('./network.js')).describeEndpoints,
  '/ConfigMap': async () => (await import('./config.js')).describeConfigMap,
  'discovery.k8s.io/EndpointSlice': async () => (await import('./network.js')).describeEndpointSlice,
  'networking.k8s.io/Ingress': async () => (await import('./network.js')).describeIngress,
  'networking.k8s.io/IngressClass': async () => (await import('./network.js')).describeIngressClass,
  'networking.k8s.io/NetworkPolicy': async () => (await import('./network.js')).describeNetworkPolicy,
  'networking.k8s.io/ServiceCIDR': async () => (await import('./addresses.js')).describeServiceCidr,
  'networking.k8s.io/IPAddress': async () => (await import('./addresses.js')).describeIpAddress,
  'scheduling.k8s.io/PriorityClass': async () => (await import('./config.js')).describePriorityClass,
  'storage.k8s.io/StorageClass': async () => (await import('./storage.js')).describeStorageClass,
  'storage.k8s.io/VolumeAttributesClass': async () => (await import('./storage.js')).describeVolumeAttributesClass,
  'storage.k8s.io/CSINode': async () => (await import('./storage.js')).describeCsiNode,
  'apps/StatefulSet': async () => (await import('./workloads.js')).describeStatefulSet,
  'apps/ReplicaSet': async () => (await import('./workloads.js')).describeReplicaSet,
  'apps/Deployment': async () => (await import('./workloads.js')).describeDeployment,
  'apps/DaemonSet': async () => (await import('./workloads.js')).describeDaemonSet,
  'batch/Job': async () => (await import('./workloads.js')).describeJob,
  'batch/CronJob': async () => (await import('./workloads.js')).describeCronJob,
  'policy/PodDisruptionBudget': async () => (await import('./policy.js')).describePodDisruptionBudget,
  'autoscaling/HorizontalPodAutoscaler': async () => (await import('./autoscaler.js')).describeAutoscaler,
  'certificates.k8s.io/CertificateSigningRequest': async () => (await import('./policy.js')).describeCertificateRequest,
  'rbac.authorization.k8s.io/Role': async () => (await import('./access.js')).describeRole,
  'rbac.authorization.k8s.io/ClusterRole': async () => (await import('./access.js')).describeRole,
  'rbac.authorization.k8s.io/RoleBinding': async () => (await import('./access.js')).describeRoleBinding,
  'rbac.authorization.k8s.io/ClusterRoleBinding': async () => (await import('./access.js')).describeRoleBinding,
};

/** The description of an object, as text. */
export async function describeObject(object: Fields, tools: DescribeTools): Promise<string> {
  const apiVersion = textAt(object, 'apiVersion');
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const describe = (await describers[`${group}/${textAt(object, 'kind')}`]?.()) ?? describeGeneric;
  const w = new DescribeWriter();
  await describe(object, w, tools);
  return alignTabs(w.text, { minWidth: 0, padding: 2 });
}
