import { type Namespace, type Pod, type PodSpec, type PodTemplateSpec, refs } from '@coracle/api';
import { forbidden, type KubeObject, type ObjectMeta } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { ObjectReader } from '../../registry/object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import type { Level } from '../pod-security/check.js';
import { describeViolations, evaluate } from '../pod-security/evaluate.js';

const prefix = 'pod-security.kubernetes.io/';
const levels: readonly Level[] = ['privileged', 'baseline', 'restricted'];
/** Kinds that make pods from a template: their users are warned, their pods are refused. */
const workloads = new Set([
  'podtemplates',
  'replicationcontrollers',
  'replicasets',
  'deployments',
  'statefulsets',
  'daemonsets',
  'jobs',
  'cronjobs',
]);

type Mode = 'enforce' | 'audit' | 'warn';

interface Policy {
  readonly level: Level;
  readonly version: string;
}

/** Holds pods to the security level that their namespace asks for by label. */
export function podSecurity({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    handles: ({ operation, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      (resource.resource === 'pods'
        ? subresource === '' || subresource === 'ephemeralcontainers'
        : workloads.has(resource.resource) && subresource === ''),
    validate(attributes) {
      const namespace = objects.get(refs.namespaces, '', attributes.namespace);
      if (!namespace) return;
      if (attributes.resource.resource === 'pods') checkPod(attributes, namespace);
      else warnAboutTemplate(attributes, namespace);
    },
  };
}

function checkPod(attributes: AdmissionAttributes, namespace: Namespace): void {
  const pod = attributes.object as Pod;
  const previous = attributes.oldObject as Pod | undefined;
  if (!pod.spec || (previous && !isSignificant(pod, previous))) return;
  const enforce = policyOf(namespace, 'enforce');
  const violations = evaluate(enforce.level, pod.metadata, pod.spec);
  if (violations.length > 0) {
    const why = `violates PodSecurity ${JSON.stringify(`${enforce.level}:${enforce.version}`)}: ${describeViolations(violations)}`;
    throw forbidden(attributes.resource, attributes.name, why);
  }
  warn(attributes, namespace, { metadata: pod.metadata, spec: pod.spec });
}

function warnAboutTemplate(attributes: AdmissionAttributes, namespace: Namespace): void {
  const template = templateOf(attributes.object);
  if (template?.spec) warn(attributes, namespace, { metadata: template.metadata ?? {}, spec: template.spec });
}

function warn(
  { warn: tell, annotate }: AdmissionAttributes,
  namespace: Namespace,
  { metadata, spec }: { metadata: ObjectMeta; spec: PodSpec },
): void {
  const wanted = policyOf(namespace, 'warn');
  const found = evaluate(wanted.level, metadata, spec);
  if (found.length > 0)
    tell(
      `would violate PodSecurity ${JSON.stringify(`${wanted.level}:${wanted.version}`)}: ${describeViolations(found)}`,
    );
  const audit = policyOf(namespace, 'audit');
  const noted = evaluate(audit.level, metadata, spec);
  if (noted.length > 0)
    annotate?.(
      `${prefix}audit-violations`,
      `would violate PodSecurity "${audit.level}:${audit.version}": ${describeViolations(noted)}`,
    );
}

function policyOf({ metadata }: Namespace, mode: Mode): Policy {
  const stated = metadata.labels?.[`${prefix}${mode}`];
  if (stated === undefined) return { level: 'privileged', version: 'latest' };
  // A level that nobody knows is taken for the strictest when it comes to refusing, and ignored when it comes to advice.
  const level = levels.find((one) => one === stated) ?? (mode === 'enforce' ? 'restricted' : 'privileged');
  return { level, version: metadata.labels?.[`${prefix}${mode}-version`] ?? 'latest' };
}

/** Changes to metadata and to status do not bring an old pod before the judge again. */
function isSignificant(pod: Pod, previous: Pod): boolean {
  const images = ({ spec }: Pod) =>
    [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ image }) => image);
  return (
    !deepEqual(pod.spec?.ephemeralContainers, previous.spec?.ephemeralContainers) ||
    !deepEqual(images(pod), images(previous))
  );
}

function templateOf(object: KubeObject | undefined): PodTemplateSpec | undefined {
  const { template, spec } = object as {
    template?: PodTemplateSpec;
    spec?: { template?: PodTemplateSpec; jobTemplate?: { spec?: { template?: PodTemplateSpec } } };
  };
  return template ?? spec?.template ?? spec?.jobTemplate?.spec?.template;
}
