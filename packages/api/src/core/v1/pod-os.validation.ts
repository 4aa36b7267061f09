import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import type { PodSpec } from '../../generated/types/core-v1.js';
import { visitContainers } from './visit-containers.js';

/** A pod that says for which operating system it is may not request what only the other has. */
export function validateOperatingSystem(path: FieldPath, spec: PodSpec): FieldError[] {
  const name = spec.os?.name;
  if (!spec.os) return [];
  if (!name) return [requiredField(path.child('os', 'name'))];
  if (name === 'linux') return validateLinux(path, spec);
  if (name === 'windows') return validateWindows(path, spec);
  return [notSupportedField(path.child('os'), name, ['linux', 'windows'])];
}

function validateLinux(path: FieldPath, spec: PodSpec): FieldError[] {
  const problem = 'windows options cannot be set for a linux pod';
  const places = [
    { path, securityContext: spec.securityContext },
    ...[...visitContainers(path, spec)].map(({ container, path: at }) => ({
      path: at,
      securityContext: container.securityContext,
    })),
  ];
  return places
    .filter(({ securityContext }) => securityContext?.windowsOptions)
    .map((place) => forbiddenField(place.path.child('securityContext', 'windowsOptions'), problem));
}

/** Fields of the pod that Windows does not have, in the order in which they are looked at. */
const linuxPodFields = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];

const linuxContainerFields = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

function validateWindows(path: FieldPath, spec: PodSpec): FieldError[] {
  const problem = 'cannot be set for a windows pod';
  const ofPod = linuxPodFields.filter((field) => isSet(spec, field));
  const ofContainers = [...visitContainers(path, spec)].flatMap(({ container, path: containerPath }) =>
    linuxContainerFields
      .filter((field) => container.securityContext?.[field] !== undefined)
      .map((field) => containerPath.child('securityContext', field)),
  );
  const ofPodPaths = ofPod.map((field) => field.split('.').reduce((at, name) => at.child(name), path));
  return [...ofPodPaths, ...ofContainers].map((at) => forbiddenField(at, problem));
}

/** Switches that have a third position, so that they are set even when they are off. */
const pointerFields: ReadonlySet<string> = new Set(['hostUsers', 'shareProcessNamespace']);

function isSet(spec: PodSpec, field: string): boolean {
  const value = field
    .split('.')
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], spec);
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && (value !== false || pointerFields.has(field));
}
