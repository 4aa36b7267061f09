import type { Controller } from './controller.js';

/** Name → former name. Controllers that are not implemented may be named too. */
const formerNames: Readonly<Record<string, readonly string[]>> = {
  'bootstrap-signer-controller': ['bootstrapsigner'],
  'certificatesigningrequest-approving-controller': ['csrapproving'],
  'certificatesigningrequest-cleaner-controller': ['csrcleaner'],
  'certificatesigningrequest-signing-controller': ['csrsigning'],
  'cloud-node-lifecycle-controller': ['cloud-node-lifecycle'],
  'clusterrole-aggregation-controller': ['clusterrole-aggregation'],
  'cronjob-controller': ['cronjob'],
  'daemonset-controller': ['daemonset'],
  'deployment-controller': ['deployment'],
  'device-taint-eviction-controller': [],
  'disruption-controller': ['disruption'],
  'endpoints-controller': ['endpoint'],
  'endpointslice-controller': ['endpointslice'],
  'endpointslice-mirroring-controller': ['endpointslicemirroring'],
  'ephemeral-volume-controller': ['ephemeral-volume'],
  'garbage-collector-controller': ['garbagecollector'],
  'horizontal-pod-autoscaler-controller': ['horizontalpodautoscaling'],
  'job-controller': ['job'],
  'kube-apiserver-serving-clustertrustbundle-publisher-controller': [],
  'legacy-serviceaccount-token-cleaner-controller': ['legacy-service-account-token-cleaner'],
  'namespace-controller': ['namespace'],
  'node-ipam-controller': ['nodeipam'],
  'node-lifecycle-controller': ['nodelifecycle'],
  'node-route-controller': ['route'],
  'persistentvolume-attach-detach-controller': ['attachdetach'],
  'persistentvolume-binder-controller': ['persistentvolume-binder'],
  'persistentvolume-expander-controller': ['persistentvolume-expander'],
  'persistentvolume-protection-controller': ['pv-protection'],
  'persistentvolumeclaim-protection-controller': ['pvc-protection'],
  'podgroup-protection-controller': [],
  'pod-garbage-collector-controller': ['podgc'],
  'podcertificaterequest-cleaner-controller': [],
  'replicaset-controller': ['replicaset'],
  'replicationcontroller-controller': ['replicationcontroller'],
  'resourceclaim-controller': ['resource-claim-controller'],
  'resourcequota-controller': ['resourcequota'],
  'root-ca-certificate-publisher-controller': ['root-ca-cert-publisher'],
  'selinux-warning-controller': [],
  'service-cidr-controller': [],
  'service-lb-controller': ['service'],
  'serviceaccount-controller': ['serviceaccount'],
  'serviceaccount-token-controller': ['serviceaccount-token'],
  'statefulset-controller': ['statefulset'],
  'storage-version-migrator-controller': [],
  'storageversion-garbage-collector-controller': ['storage-version-gc'],
  'taint-eviction-controller': [],
  'token-cleaner-controller': ['tokencleaner'],
  'ttl-after-finished-controller': ['ttl-after-finished'],
  'ttl-controller': ['ttl'],
  'validatingadmissionpolicy-status-controller': [],
  'volumeattributesclass-protection-controller': [],
};

const nameByFormer: ReadonlyMap<string, string> = new Map(
  Object.entries(formerNames).flatMap(([name, former]) => [name, ...former].map((one) => [one, name] as const)),
);

/** The current name for a current or former one; `undefined` if it is unknown. */
export function controllerNamed(name: string): string | undefined {
  return nameByFormer.get(name);
}

/** The error in a value of `--controllers`. */
export function controllerProblems(patterns: readonly string[]): string[] {
  return patterns
    .filter((one) => one !== '*' && controllerNamed(one.replace(/^-/, '')) === undefined)
    .map((one) => `${JSON.stringify(one.replace(/^-/, ''))} is not in the list of known controllers`);
}

/**
 * The controllers that `--controllers` enables: `foo` by name, `-foo` disabled, `*` all others. The token controller
 * always runs, because others may need its tokens.
 */
export function selectControllers(controllers: readonly Controller[], patterns: readonly string[]): Controller[] {
  const named = new Map(
    patterns.map((one) => [controllerNamed(one.replace(/^-/, '')) ?? one, !one.startsWith('-')] as const),
  );
  const others = patterns.includes('*');
  return controllers.filter(
    ({ name, isOffByDefault }) =>
      name === 'serviceaccount-token-controller' || (named.get(name) ?? (others && !isOffByDefault)),
  );
}
