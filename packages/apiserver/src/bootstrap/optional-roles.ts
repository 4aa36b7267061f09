import { type rbacv1, refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

/** Whether a kind that is off by default is served. */
export type IsServed = (kind: ResourceRef<KubeObject>) => boolean;

interface OptionalRole {
  /** The role is needed if one of them is served. */
  readonly kinds: readonly ResourceRef<KubeObject>[];
  /** The service account of kube-system whose role it is. */
  readonly account: string;
  readonly rules: readonly rbacv1.PolicyRule[];
}

const events: rbacv1.PolicyRule = {
  apiGroups: ['', 'events.k8s.io'],
  resources: ['events'],
  verbs: ['create', 'patch', 'update'],
};

/** What upstream lets controllers do with the feature gate of a kind; here, where the kind is served. */
const optionalRoles: readonly OptionalRole[] = [
  {
    kinds: [refs.deviceTaintRulesV1beta2, refs.deviceTaintRules],
    account: 'device-taint-eviction-controller',
    rules: [
      { apiGroups: ['resource.k8s.io'], resources: ['devicetaintrules'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['resource.k8s.io'], resources: ['devicetaintrules/status'], verbs: ['patch', 'update'] },
    ],
  },
  {
    kinds: [refs.clusterTrustBundlesV1beta1, refs.clusterTrustBundles],
    account: 'kube-apiserver-serving-clustertrustbundle-publisher',
    rules: [
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['clustertrustbundles'],
        verbs: ['create', 'delete', 'list', 'update', 'watch'],
      },
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['kubernetes.io/kube-apiserver-serving'],
        verbs: ['attest'],
      },
      events,
    ],
  },
  {
    kinds: [refs.podCertificateRequests],
    account: 'podcertificaterequestcleaner',
    rules: [
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['podcertificaterequests'],
        verbs: ['delete', 'get', 'list', 'watch'],
      },
    ],
  },
  {
    kinds: [refs.podGroups],
    account: 'podgroup-protection-controller',
    rules: [
      { apiGroups: ['scheduling.k8s.io'], resources: ['podgroups'], verbs: ['get', 'list', 'update', 'watch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
      events,
    ],
  },
  {
    kinds: [refs.storageVersionMigrations],
    account: 'storage-version-migrator-controller',
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'patch'] },
      {
        apiGroups: ['storagemigration.k8s.io'],
        resources: ['storageversionmigrations'],
        verbs: ['get', 'list', 'watch'],
      },
      { apiGroups: ['storagemigration.k8s.io'], resources: ['storageversionmigrations/status'], verbs: ['update'] },
      events,
    ],
  },
  {
    kinds: [refs.storageVersions],
    account: 'storage-version-garbage-collector',
    rules: [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['internal.apiserver.k8s.io'],
        resources: ['storageversions'],
        verbs: ['delete', 'get', 'list', 'watch'],
      },
      { apiGroups: ['internal.apiserver.k8s.io'], resources: ['storageversions/status'], verbs: ['patch', 'update'] },
    ],
  },
];

/** The rules that are added for kinds that are served, by service account. */
export function optionalRules(isServed: IsServed): ReadonlyMap<string, readonly rbacv1.PolicyRule[]> {
  return new Map(
    optionalRoles.filter(({ kinds }) => kinds.some(isServed)).map(({ account, rules }) => [account, rules]),
  );
}
