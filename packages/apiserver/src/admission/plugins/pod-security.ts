import { type Namespace, type Pod, type PodSpec, type PodTemplateSpec, refs } from '@coracle/api';
import { forbidden, invalid, type KubeObject, type ObjectMeta } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { checkConfiguration, defaultLabels, type PodSecurityConfig } from '../pod-security/configuration.js';
import { describeViolations, evaluate, reasonsOf } from '../pod-security/evaluate.js';
import {
  checkPolicyLabels,
  describePolicies,
  isTightened,
  labelPrefix,
  type Policy,
  policyOf,
} from '../pod-security/policy.js';

/** Kinds with a pod template. Violations of a template cause warnings; violations of a pod cause its rejection. */
const workloads: ReadonlySet<string> = new Set([
  '/podtemplates',
  '/replicationcontrollers',
  'apps/replicasets',
  'apps/deployments',
  'apps/statefulsets',
  'apps/daemonsets',
  'batch/jobs',
  'batch/cronjobs',
]);

/** Enforces the pod security level that the labels of the namespace select. */
export function podSecurity(
  { objects }: { readonly objects: ObjectReader },
  config: PodSecurityConfig = {},
): AdmissionPlugin {
  checkConfiguration(config);
  const { exemptions = {} } = config;
  const usual = defaultLabels(config);
  const isExempt = ({ user, namespace, object }: AdmissionAttributes) =>
    exemptions.usernames?.includes(user.name) ||
    exemptions.namespaces?.includes(namespace) ||
    exemptions.runtimeClasses?.includes(podSpecOf(object)?.runtimeClassName ?? '');
  return {
    name: 'PodSecurity',
    handles: ({ operation, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      (isPod(resource)
        ? subresource === '' || subresource === 'ephemeralcontainers'
        : (workloads.has(`${resource.group}/${resource.resource}`) || isNamespace(resource)) && subresource === ''),
    validate(attributes) {
      if (isNamespace(attributes.resource)) {
        const isExemptNamespace = exemptions.namespaces?.includes(attributes.name) ?? false;
        checkNamespace(attributes, { objects, usual, isExempt: isExemptNamespace });
        return;
      }
      const namespace = objects.get(refs.namespaces, '', attributes.namespace);
      if (!namespace || isExempt(attributes)) return;
      const labels = { ...usual, ...namespace.metadata.labels };
      if (isPod(attributes.resource)) checkPod(attributes, labels);
      else warnAboutTemplate(attributes, labels);
    },
  };
}

/** Custom resources may have any name. */
function isPod({ group, resource }: AdmissionAttributes['resource']): boolean {
  return group === '' && resource === 'pods';
}

function isNamespace({ group, resource }: AdmissionAttributes['resource']): boolean {
  return group === '' && resource === 'namespaces';
}

interface NamespaceSetting {
  readonly objects: ObjectReader;
  /** The defaults for namespaces without labels. */
  readonly usual: Labels;
  readonly isExempt: boolean;
}

/**
 * Invalid labels are rejected unless they were there before. A stricter level is answered with warnings about existing
 * pods that violate it.
 */
function checkNamespace(attributes: AdmissionAttributes, { objects, usual, isExempt }: NamespaceSetting): void {
  const { metadata } = attributes.object as Namespace;
  const previous = attributes.oldObject as Namespace | undefined;
  const errors = checkPolicyLabels(metadata.labels);
  if (errors.length > 0 && (!previous || checkPolicyLabels(previous.metadata.labels).length === 0))
    throw invalid({ group: '', kind: 'Namespace' }, attributes.name, errors);
  const [labels, before] = [metadata, previous?.metadata].map((one) => ({ ...usual, ...one?.labels }));
  if (isExempt) {
    warnOfExemption(attributes, labels as Labels, previous ? (before as Labels) : usual);
    return;
  }
  if (!previous) return;
  const enforce = policyOf(labels, 'enforce');
  if (!isTightened(enforce, policyOf(before, 'enforce'))) return;
  for (const line of shortcomings(objects.list(refs.pods, attributes.name), enforce)) {
    if (line.isFirst)
      attributes.warn(
        `existing pods in namespace ${JSON.stringify(attributes.name)} violate the new PodSecurity enforce level "${enforce.level}:${enforce.version}"`,
      );
    attributes.warn(line.text);
  }
}

/** Warns about pod security labels on a namespace that is exempt. */
function warnOfExemption({ name, warn }: AdmissionAttributes, labels: Labels, before: Labels): void {
  const policies = describePolicies(labels);
  if (policies === '' || policies === describePolicies(before)) return;
  warn(`namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${policies}) will be ignored`);
}

/** Maximum number of pods evaluated when the labels of a namespace change. */
const mostPods = 3_000;

/** Pods with the same violations share a line. */
function* shortcomings(
  pods: readonly Pod[],
  enforce: Policy,
): Iterable<{ readonly text: string; readonly isFirst: boolean }> {
  const byFault = new Map<string, string[]>();
  for (const { metadata, spec } of pods.slice(0, mostPods)) {
    const faults = spec ? reasonsOf(evaluate(enforce, metadata, spec)) : '';
    if (faults !== '') byFault.set(faults, [...(byFault.get(faults) ?? []), metadata.name ?? '']);
  }
  let isFirst = true;
  for (const [faults, names] of [...byFault].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [name = '', ...others] = names.sort();
    const rest = others.length === 0 ? '' : ` (and ${others.length} other pod${others.length === 1 ? '' : 's'})`;
    yield { text: `${name}${rest}: ${faults}`, isFirst };
    isFirst = false;
  }
}

type Labels = Readonly<Record<string, string>>;

function checkPod(attributes: AdmissionAttributes, labels: Labels): void {
  const pod = attributes.object as Pod;
  const previous = attributes.oldObject as Pod | undefined;
  if (!pod.spec || (previous && !isSignificant(pod, previous))) return;
  const enforce = policyOf(labels, 'enforce');
  const violations = evaluate(enforce, pod.metadata, pod.spec);
  if (violations.length > 0) {
    const why = `violates PodSecurity ${JSON.stringify(`${enforce.level}:${enforce.version}`)}: ${describeViolations(violations)}`;
    throw forbidden(attributes.resource, attributes.name, why);
  }
  warn(attributes, labels, { metadata: pod.metadata, spec: pod.spec });
}

function warnAboutTemplate(attributes: AdmissionAttributes, labels: Labels): void {
  const template = templateOf(attributes.object);
  if (template?.spec) warn(attributes, labels, { metadata: template.metadata ?? {}, spec: template.spec });
}

function warn(
  { warn: tell, annotate }: AdmissionAttributes,
  labels: Labels,
  { metadata, spec }: { metadata: ObjectMeta; spec: PodSpec },
): void {
  const policy = policyOf(labels, 'warn');
  const found = evaluate(policy, metadata, spec);
  if (found.length > 0)
    tell(
      `would violate PodSecurity ${JSON.stringify(`${policy.level}:${policy.version}`)}: ${describeViolations(found)}`,
    );
  const audit = policyOf(labels, 'audit');
  const noted = evaluate(audit, metadata, spec);
  if (noted.length > 0)
    annotate?.(
      `${labelPrefix}audit-violations`,
      `would violate PodSecurity "${audit.level}:${audit.version}": ${describeViolations(noted)}`,
    );
}

/** Changes to metadata and status do not evaluate an existing pod again. */
function isSignificant(pod: Pod, previous: Pod): boolean {
  const images = ({ spec }: Pod) =>
    [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ image }) => image);
  return (
    !deepEqual(pod.spec?.ephemeralContainers, previous.spec?.ephemeralContainers) ||
    !deepEqual(images(pod), images(previous))
  );
}

function podSpecOf(object: KubeObject | undefined): PodSpec | undefined {
  return templateOf(object)?.spec ?? (object as Pod | undefined)?.spec;
}

function templateOf(object: KubeObject | undefined): PodTemplateSpec | undefined {
  const { template, spec } = object as {
    template?: PodTemplateSpec;
    spec?: { template?: PodTemplateSpec; jobTemplate?: { spec?: { template?: PodTemplateSpec } } };
  };
  return template ?? spec?.template ?? spec?.jobTemplate?.spec?.template;
}
