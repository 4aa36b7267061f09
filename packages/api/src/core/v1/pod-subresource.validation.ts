import { type FieldError, FieldPath, forbiddenField, invalidField } from '@coracle/apimachinery';
import { deepCopy, deepEqual } from '@coracle/base';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../generated/types/core-v1.js';
import { checkItems, wholeObject } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { jsonDiff } from '../../validation/unified-diff.js';
import { podTypes } from './pod.internal-form.js';
import { validatePodContent } from './pod.validation.js';
import { mirrorAnnotation, validatePodAnnotationUpdate } from './pod-annotations.validation.js';
import { computeQosClass } from './qos-class.js';

const specPath = FieldPath.of('spec');

/** Ephemeral containers may be added by their endpoint; those that are there stay as they are. */
export function validateEphemeralContainersUpdate(pod: Pod, previous: Pod): FieldError[] {
  if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [forbiddenField(wholeObject, 'static pods do not support ephemeral containers')];
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

/** Cpu and memory of a running pod may change, within its quality of service. */
export function validatePodResize(pod: Pod, previous: Pod): FieldError[] {
  const refusal = refuseResize(previous);
  if (refusal) return [forbiddenField(wholeObject, refusal)];
  const spec = pod.spec ?? { containers: [] };
  const old = previous.spec ?? { containers: [] };
  const errors = [...validatePodContent(pod), ...validateWholeResize(pod, previous)];
  const order = validateSameContainers(spec, old);
  if (order.length > 0) return [...errors, ...order];
  errors.push(...validateContainerResizes(spec, old), ...validateOnlyResized(spec, old));
  if (errors.length > 0 || deepEqual(withoutResizes(spec, old), old)) return errors;
  return [forbiddenField(specPath, onlyCpuAndMemory)];
}

const onlyCpuAndMemory = 'only cpu and memory resources are mutable';

function refuseResize(previous: Pod): string | undefined {
  if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static pods cannot be resized';
  return previous.spec?.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

/** Validates the pod as a whole. */
function validateWholeResize(pod: Pod, previous: Pod): FieldError[] {
  const errors: FieldError[] = [];
  if ((previous.status?.qosClass ?? computeQosClass(previous)) !== computeQosClass(pod)) {
    const problem = 'Pod QOS Class may not change as a result of resizing';
    errors.push(invalidField(specPath, pod.status?.qosClass ?? '', problem));
  }
  if (!nodeCanResize(previous)) errors.push(forbiddenField(specPath, 'Pod running on node without support for resize'));
  errors.push(...validateOwnResources(pod.spec?.resources, previous.spec?.resources));
  if (previous.status?.nodeAllocatableResourceClaimStatuses?.length) {
    errors.push(forbiddenField(specPath, 'pods with node allocatable resource claims cannot be resized'));
  }
  return errors;
}

function validateOwnResources(now: ResourceRequirements = {}, previous?: ResourceRequirements): FieldError[] {
  const old = previous ?? {};
  const path = specPath.child('resources');
  const errors = (['requests', 'limits'] as const)
    .filter((side) => isMissingAny(now[side], old[side]))
    .map((side) => forbiddenField(path.child(side), `pod-level resource ${side} cannot be removed`));
  if (deepEqual(withoutSizes(now, old), withoutSizes(old, old))) return errors;
  return [...errors, forbiddenField(specPath, `${onlyCpuAndMemory} at pod-level`)];
}

/** Containers are compared by their position. */
function validateSameContainers(spec: PodSpec, previous: PodSpec): FieldError[] {
  return (['containers', 'initContainers'] as const).flatMap((list) => {
    const path = specPath.child(list);
    const now = spec[list] ?? [];
    const old = previous[list] ?? [];
    if (now.length !== old.length) return [forbiddenField(path, `${list} may not be added or removed on resize`)];
    const problem = `${list} may not be renamed or reordered on resize`;
    return checkItems(path, now, (itemPath, { name }, index) =>
      name === old[index]?.name ? [] : [forbiddenField(itemPath.child('name'), problem)],
    );
  });
}

/** A node that reports what its running containers have can also change it. */
function nodeCanResize({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running);
  return !running || running.resources !== undefined;
}

function validateContainerResizes(spec: PodSpec, previous: PodSpec): FieldError[] {
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    checkItems(specPath.child(list), spec[list], (itemPath, { resources }, index) => {
      const old = previous[list]?.[index]?.resources ?? {};
      return (['requests', 'limits'] as const)
        .filter((side) => isMissingAny(resources?.[side], old[side]))
        .map((side) => forbiddenField(itemPath.child('resources', side), `resource ${side} cannot be removed`));
    }),
  );
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
    .map(() => forbiddenField(specPath, onlyCpuAndMemory));
  const ofInit = checkItems(specPath.child('initContainers'), spec.initContainers, (path, one, index) =>
    validateOnlyInitResized(path, one, previous.initContainers?.[index]),
  );
  return [...ofContainers, ...ofInit];
}

function validateOnlyInitResized(path: FieldPath, now: Container, old: Container | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (!deepEqual(withoutResize(now, old), old)) {
    errors.push(forbiddenField(path, 'only cpu and memory resources for init or sidecar containers are mutable'));
  }
  if (now.restartPolicy === 'Always' || deepEqual(now, old)) return errors;
  const restarts = (now.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === 'RestartContainer');
  return [...errors, ...restarts.map(() => forbiddenField(path, restartedInitContainer))];
}

const restartedInitContainer = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';

function withoutResizes(spec: PodSpec, previous: PodSpec): PodSpec {
  const rest = deepCopy(spec);
  rest.containers = rest.containers.map((one, index) => withoutResize(one, previous.containers[index]));
  if (rest.initContainers) {
    rest.initContainers = rest.initContainers.map((one, index) => withoutResize(one, previous.initContainers?.[index]));
  }
  if (previous.resources) rest.resources = previous.resources;
  else delete rest.resources;
  return rest;
}

/** The container with the cpu and memory that it had. */
function withoutResize(container: Container, previous: Container | undefined): Container {
  const { resources = {}, ...rest } = container;
  const old = previous?.resources;
  const { claims: _, ...sizes } = withoutSizes(resources, old ?? {});
  const oldSizes = { ...sizes, ...(old?.claims && { claims: old.claims }) };
  return old || Object.keys(oldSizes).length > 0 ? { ...rest, resources: oldSizes } : rest;
}

/** Resources with the cpu and memory of others. Absent lists stay absent. */
function withoutSizes(resources: ResourceRequirements, others: ResourceRequirements): ResourceRequirements {
  const rest: ResourceRequirements = { ...resources };
  for (const side of ['limits', 'requests'] as const) {
    const { cpu: _, memory: __, ...otherResources } = resources[side] ?? {};
    const { cpu, memory } = others[side] ?? {};
    const list = { ...otherResources, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
    if (others[side] || Object.keys(list).length > 0) rest[side] = list;
    else delete rest[side];
  }
  return rest;
}
