import { type FieldError, FieldPath, forbiddenField, invalidField } from '@coracle/apimachinery';
import { deepCopy, deepEqual } from '@coracle/base';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../generated/types/core-v1.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { compareQuantities } from '../../validation/quantities.js';
import { jsonDiff } from '../../validation/unified-diff.js';
import { podTypes } from './pod.internal-form.js';
import { validatePodContent } from './pod.validation.js';
import { mirrorAnnotation, validatePodAnnotationUpdate } from './pod-annotations.validation.js';
import { computeQosClass } from './qos-class.js';

const specPath = FieldPath.of('spec');
const root = FieldPath.of();

/** Ephemeral containers may be added by their endpoint; those that are there stay as they are. */
export function validateEphemeralContainersUpdate(pod: Pod, previous: Pod): FieldError[] {
  if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [forbiddenField(root, 'static pods do not support ephemeral containers')];
  }
  const path = specPath.child('ephemeralContainers');
  const annotationsPath = FieldPath.of('metadata', 'annotations');
  const containers = pod.spec?.ephemeralContainers ?? [];
  const changes = (previous.spec?.ephemeralContainers ?? []).flatMap((old) => {
    const now = containers.find(({ name }) => name === old.name);
    if (!now)
      return [forbiddenField(path, `existing ephemeral containers ${JSON.stringify(old.name)} may not be removed\n`)];
    if (deepEqual(now, old)) return [];
    const print = (one: unknown) => toInternalForm(one, 'EphemeralContainer', podTypes);
    const diff = jsonDiff(print(old), print(now));
    return [
      forbiddenField(path, `existing ephemeral containers ${JSON.stringify(old.name)} may not be changed\n${diff}`),
    ];
  });
  return [
    ...validatePodContent(pod),
    ...validatePodAnnotationUpdate(annotationsPath, pod.metadata.annotations, previous.metadata.annotations),
    ...changes,
  ];
}

/** Cpu and memory of a running pod may change, within its quality of service. Both pods must have the same containers. */
export function validatePodResize(pod: Pod, previous: Pod): FieldError[] {
  const refusal = refuseResize(pod, previous);
  if (refusal) return [forbiddenField(root, refusal)];
  const spec = pod.spec ?? { containers: [] };
  const old = previous.spec ?? { containers: [] };
  const errors = validatePodContent(pod);
  if ((previous.status?.qosClass ?? computeQosClass(previous)) !== computeQosClass(pod)) {
    const problem = 'Pod QOS Class may not change as a result of resizing';
    errors.push(invalidField(specPath, pod.status?.qosClass ?? '', problem));
  }
  if (!nodeCanResize(previous)) errors.push(forbiddenField(specPath, 'Pod running on node without support for resize'));
  errors.push(...validateContainerResizes(spec, old), ...validateOnlyResized(spec, old));
  if (errors.length > 0 || deepEqual(withoutResizes(spec, old), old)) return errors;
  return [forbiddenField(specPath, 'only cpu and memory resources are mutable')];
}

function refuseResize(pod: Pod, previous: Pod): string | undefined {
  const hasOwnResources = ({ spec }: Pod) =>
    Object.keys({ ...spec?.resources?.requests, ...spec?.resources?.limits }).length > 0;
  if (hasOwnResources(pod) || hasOwnResources(previous)) return 'pods with pod-level resources cannot be resized';
  if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static pods cannot be resized';
  return previous.spec?.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

/** A node that reports what its running containers have can also change it. */
function nodeCanResize({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running);
  return !running || running.resources !== undefined;
}

function validateContainerResizes(spec: PodSpec, previous: PodSpec): FieldError[] {
  const errors = (list: 'initContainers' | 'containers', resizable: (container: Container) => boolean): FieldError[] =>
    (previous[list] ?? []).flatMap((old, index) => {
      const now = spec[list]?.[index];
      if (!now || !resizable(old)) return [];
      return validateResize(specPath.child(list).index(index).child('resources'), now, old);
    });
  return [...errors('initContainers', isSidecar), ...errors('containers', () => true)];
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

function validateResize(path: FieldPath, container: Container, previous: Container): FieldError[] {
  const { requests, limits } = container.resources ?? {};
  const old = previous.resources ?? {};
  const errors: FieldError[] = [];
  if (isMissingAny(requests, old.requests)) {
    errors.push(forbiddenField(path.child('requests'), 'resource requests cannot be removed'));
  }
  if (isMissingAny(limits, old.limits))
    errors.push(forbiddenField(path.child('limits'), 'resource limits cannot be removed'));
  const policy = container.resizePolicy?.find(({ resourceName }) => resourceName === 'memory')?.restartPolicy;
  const limit = limits?.['memory'];
  const oldLimit = old.limits?.['memory'];
  if (policy === 'RestartContainer' || limit === undefined || oldLimit === undefined) return errors;
  if (compareQuantities(limit, oldLimit) >= 0) return errors;
  const problem = 'memory limits cannot be decreased unless resizePolicy is RestartContainer';
  return [...errors, forbiddenField(path.child('limits').key('memory'), problem)];
}

function isMissingAny(
  list: Readonly<Record<string, string>> = {},
  previous: Readonly<Record<string, string>> = {},
): boolean {
  return Object.keys(previous).some((name) => !Object.hasOwn(list, name));
}

function validateOnlyResized(spec: PodSpec, previous: PodSpec): FieldError[] {
  const ofContainers = (spec.containers ?? [])
    .filter((one, index) => !deepEqual(withoutResize(one, previous.containers?.[index]), previous.containers?.[index]))
    .map(() => forbiddenField(specPath, 'only cpu and memory resources are mutable'));
  const ofInit = (spec.initContainers ?? []).flatMap((one, index) => {
    const old = previous.initContainers?.[index];
    if (isSidecar(one)) {
      if (deepEqual(withoutResize(one, old), old)) return [];
      return [forbiddenField(specPath, 'only cpu and memory resources for sidecar containers are mutable')];
    }
    return deepEqual(one, old)
      ? []
      : [forbiddenField(specPath, 'resources for non-sidecar init containers are immutable')];
  });
  return [...ofContainers, ...ofInit];
}

function withoutResizes(spec: PodSpec, previous: PodSpec): PodSpec {
  const rest = deepCopy(spec);
  rest.containers = rest.containers.map((one, index) => withoutResize(one, previous.containers[index]));
  if (rest.initContainers) {
    rest.initContainers = rest.initContainers.map((one, index) =>
      isSidecar(one) ? withoutResize(one, previous.initContainers?.[index]) : one,
    );
  }
  return rest;
}

/** The container with the cpu and memory that it had. */
function withoutResize(container: Container, previous: Container | undefined): Container {
  const resources: ResourceRequirements = {};
  for (const side of ['limits', 'requests'] as const) {
    const old = previous?.resources?.[side];
    if (!old) continue;
    const { cpu: _, memory: __, ...others } = container.resources?.[side] ?? {};
    const { cpu, memory } = old;
    resources[side] = { ...others, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
  }
  const claims = previous?.resources?.claims;
  const { resources: ___, ...rest } = container;
  if (!previous?.resources) return rest;
  return { ...rest, resources: { ...resources, ...(claims && { claims }) } };
}
