import { type Clock, type Logger, type Metrics, noMetrics, type Random, silentLogger } from '@coracle/base';
import type { Authorizer } from '../authorization/authorizer.js';
import type { ObjectReader, ObjectWriter } from '../object-reader.js';
import type { Outbound } from '../outbound/outbound.js';
import type { WebhookCredentials } from '../outbound/webhook-client.js';
import type { AdmissionPlugin } from './admission.js';
import { authorizerVariables } from './expressions/authorizer-variables.js';
import { expressionEvaluator } from './expressions/evaluate-expressions.js';
import { alwaysAdmit, alwaysDeny } from './plugins/always.js';
import { alwaysPullImages } from './plugins/always-pull-images.js';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  podCertificateSigning,
} from './plugins/certificate-signers.js';
import { defaultIngressClass, defaultStorageClass } from './plugins/default-class.js';
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.js';
import { denyServiceExternalIPs } from './plugins/deny-service-external-ips.js';
import { type EventLimit, eventRateLimit } from './plugins/event-rate-limit.js';
import { extendedResourceToleration } from './plugins/extended-resource-toleration.js';
import { limitPodHardAntiAffinityTopology } from './plugins/limit-pod-hard-anti-affinity-topology.js';
import { limitRanger } from './plugins/limit-ranger.js';
import type { ResourceQuotaConfig } from './plugins/limited-resources.js';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.js';
import { namespaceAutoProvision, namespaceExists } from './plugins/namespace-presence.js';
import { nodeRestriction } from './plugins/node-restriction.js';
import { ownerReferencesPermissionEnforcement } from './plugins/owner-references-permission-enforcement.js';
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.js';
import { podGroupProtection, podGroupWorkloadExists } from './plugins/pod-group.js';
import { type NodeSelectorConfig, podNodeSelector } from './plugins/pod-node-selector.js';
import { podSecurity } from './plugins/pod-security.js';
import { podTolerationRestriction, type TolerationConfig } from './plugins/pod-toleration-restriction.js';
import { podTopologyLabels } from './plugins/pod-topology-labels.js';
import { priority } from './plugins/priority.js';
import { rbacEscalation } from './plugins/rbac-escalation.js';
import { resourceQuota } from './plugins/resource-quota.js';
import { runtimeClass } from './plugins/runtime-class.js';
import { serviceAccount } from './plugins/service-account.js';
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.js';
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.js';
import type { PodSecurityConfig } from './pod-security/configuration.js';
import type { PolicyDependencies } from './policies/evaluate-policy.js';
import { mutatingPolicies } from './policies/mutating-policies.js';
import type { ParamSource } from './policies/policy-params.js';
import { validatingPolicies } from './policies/validating-policies.js';
import type { WebhookDependencies } from './webhooks/call-admission-webhook.js';
import { mutatingWebhooks } from './webhooks/mutating-webhooks.js';
import { validatingWebhooks } from './webhooks/validating-webhooks.js';
import { WebhookMeter } from './webhooks/webhook-meter.js';

export interface PluginDependencies {
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: Authorizer;
  readonly outbound: Outbound;
  /** Finds the parameters of policies. */
  readonly params: ParamSource;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

export interface PluginChoice {
  /** Runs exactly these plugins, whatever is enabled by default. */
  readonly only?: readonly string[];
  /** Plugins enabled beyond the defaults. */
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** Configuration of plugins by name: the `configuration` of an `AdmissionConfiguration`. */
  readonly config?: Readonly<Record<string, object>>;
  /** Credentials of the server for webhooks, by their hosts. */
  readonly webhookCredentials?: WebhookCredentials;
}

interface Entry {
  make(deps: PluginDependencies, config: object | undefined, choice: PluginChoice): AdmissionPlugin;
  readonly isOn: boolean;
  /** Always runs: it cannot be disabled. */
  readonly isFixed?: boolean;
}

function on(make: Entry['make']): Entry {
  return { make, isOn: true };
}

function off(make: Entry['make']): Entry {
  return { make, isOn: false };
}

/** All plugins by name, in the order in which they are called, enabled or not. */
const all: Readonly<Record<string, Entry>> = {
  AlwaysAdmit: off(() => alwaysAdmit),
  NamespaceAutoProvision: off(namespaceAutoProvision),
  NamespaceLifecycle: on(namespaceLifecycle),
  NamespaceExists: off(namespaceExists),
  LimitPodHardAntiAffinityTopology: off(() => limitPodHardAntiAffinityTopology),
  LimitRanger: on(limitRanger),
  ServiceAccount: on(serviceAccount),
  NodeRestriction: on(nodeRestriction),
  TaintNodesByCondition: on(() => taintNodesByCondition),
  AlwaysPullImages: off(() => alwaysPullImages),
  PodSecurity: on((deps, config) => podSecurity(deps, config as PodSecurityConfig | undefined)),
  PodNodeSelector: off((deps, config) => podNodeSelector(deps, nodeSelectors(config))),
  Priority: on(priority),
  DefaultTolerationSeconds: on((_deps, config) => defaultTolerationSeconds(config as Record<string, number>)),
  PodTolerationRestriction: off((deps, config) => podTolerationRestriction(deps, config as TolerationConfig)),
  EventRateLimit: off((deps, config) => eventRateLimit(deps, { limits: eventLimits(config) })),
  ExtendedResourceToleration: off(() => extendedResourceToleration),
  DefaultStorageClass: on(defaultStorageClass),
  StorageObjectInUseProtection: on(() => storageObjectInUseProtection),
  OwnerReferencesPermissionEnforcement: off(ownerReferencesPermissionEnforcement),
  PersistentVolumeClaimResize: on(persistentVolumeClaimResize),
  RuntimeClass: on(runtimeClass),
  CertificateApproval: on(certificateApproval),
  CertificateSigning: on(certificateSigning),
  ClusterTrustBundleAttest: on(clusterTrustBundleAttest),
  CertificateSubjectRestriction: on(() => certificateSubjectRestriction),
  DefaultIngressClass: on(defaultIngressClass),
  DenyServiceExternalIPs: off(() => denyServiceExternalIPs),
  PodTopologyLabels: on(podTopologyLabels),
  PodGroupProtection: on(() => podGroupProtection),
  PodGroupWorkloadExists: on(podGroupWorkloadExists),
  MutatingAdmissionPolicy: on((deps) => mutatingPolicies(policyDependencies(deps))),
  MutatingAdmissionWebhook: on((deps, _config, choice) => mutatingWebhooks(webhookDependencies(deps, choice))),
  ValidatingAdmissionPolicy: on((deps) => validatingPolicies(policyDependencies(deps))),
  ValidatingAdmissionWebhook: on((deps, _config, choice) => validatingWebhooks(webhookDependencies(deps, choice))),
  ResourceQuota: on((deps, config) => resourceQuota(deps, config as ResourceQuotaConfig | undefined)),
  // Runs after all mutating plugins, because it checks the object that will be stored.
  RBACEscalation: { make: rbacEscalation, isOn: true, isFixed: true },
  PodCertificateSigning: { make: podCertificateSigning, isOn: true, isFixed: true },
  AlwaysDeny: off(() => alwaysDeny),
};

/** Plugins of upstream that have no effect yet. Flags may name them. */
export const idlePlugins: ReadonlySet<string> = new Set([
  'ImagePolicyWebhook',
  'JobValidation',
  'NodeDeclaredFeatureValidator',
  'PodResizeValidator',
]);

/** The plugins that a server runs, in the order in which they are called. */
export function defaultPlugins(deps: PluginDependencies, choice: PluginChoice = {}): AdmissionPlugin[] {
  const { only, enable = [], disable = [], config = {} } = choice;
  checkChoice(choice);
  const isChosen = ([name, { isOn, isFixed }]: [string, Entry]) =>
    isFixed || (only ? only.includes(name) : (isOn || enable.includes(name)) && !disable.includes(name));
  return Object.entries(all)
    .filter(isChosen)
    .map(([name, { make }]) => make(deps, config[name], choice));
}

/** Fails with upstream's messages. */
function checkChoice({ only = [], enable = [], disable = [], config = {} }: PluginChoice): void {
  if (only.length > 0 && enable.length + disable.length > 0)
    throw new Error(
      'admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive',
    );
  const named = { 'admission-control': only, 'enable-admission-plugins': enable, 'disable-admission-plugins': disable };
  for (const [flag, names] of Object.entries({ ...named, 'admission-control-config-file': Object.keys(config) })) {
    const unknown = names.find((name) => !idlePlugins.has(name) && (!Object.hasOwn(all, name) || all[name]?.isFixed));
    if (unknown !== undefined) throw new Error(`${flag} plugin ${JSON.stringify(unknown)} is unknown`);
  }
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0)
    throw new Error(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`);
}

function webhookDependencies(
  { objects, outbound, random, clock, authorizer, logger = silentLogger, metrics = noMetrics }: PluginDependencies,
  { webhookCredentials: credentials }: PluginChoice,
): WebhookDependencies {
  const meter = new WebhookMeter({ clock, metrics });
  const evaluate = expressionEvaluator(authorizer, authorizerVariables);
  return { objects, outbound, random, clock, logger, evaluate, meter, credentials };
}

function policyDependencies({ objects, authorizer, params }: PluginDependencies): PolicyDependencies {
  return { objects, params, evaluate: expressionEvaluator(authorizer, authorizerVariables) };
}

function eventLimits(config: object | undefined): readonly EventLimit[] {
  const { limits } = (config ?? {}) as { readonly limits?: readonly EventLimit[] };
  if (!limits?.length) throw new Error('EventRateLimit needs limits: name a file with --admission-control-config-file');
  return limits;
}

function nodeSelectors(config: object | undefined): NodeSelectorConfig | undefined {
  return (config as { readonly podNodeSelectorPluginConfig?: NodeSelectorConfig } | undefined)
    ?.podNodeSelectorPluginConfig;
}
