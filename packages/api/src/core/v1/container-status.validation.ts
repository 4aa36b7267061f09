import {
  byteLength,
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import type {
  Container,
  ContainerStatus,
  LinuxContainerUser,
  PodSpec,
  PodStatus,
  ResourceHealth,
} from '../../generated/types/core-v1.js';
import { checkItems, checkSupported, concat } from '../../validation/field-checks.js';
import { validateId } from './security-context.validation.js';

const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

/** The kubelet's report on users and devices of containers. `path` is that of the pod's status. */
export function validateContainerReports(path: FieldPath, status: PodStatus, spec: PodSpec): FieldError[] {
  return concat(
    lists.flatMap((list) =>
      checkItems(path.child(list), status[list], (itemPath, one) => validateUser(itemPath, one, spec.os?.name)),
    ),
    validateDevices(path.child('containerStatuses'), status.containerStatuses, spec.containers),
    validateDevices(path.child('initContainerStatuses'), status.initContainerStatuses, spec.initContainers),
    checkItems(path.child('ephemeralContainerStatuses'), status.ephemeralContainerStatuses, forbidDevices),
  );
}

function validateUser(path: FieldPath, { user }: ContainerStatus, os = 'linux'): FieldError[] {
  const linux = user?.linux;
  if (!linux) return [];
  if (os === 'windows') return [forbiddenField(path.child('linux'), 'cannot be set for a windows pod')];
  return os === 'linux' ? validateLinuxUser(path.child('linux'), linux) : [];
}

function validateLinuxUser(path: FieldPath, { uid, gid, supplementalGroups }: LinuxContainerUser): FieldError[] {
  return concat(
    validateId(path.child('uid'), uid),
    validateId(path.child('gid'), gid),
    checkItems(path.child('supplementalGroups'), supplementalGroups, validateId),
  );
}

function forbidDevices(path: FieldPath, { allocatedResourcesStatus: devices }: ContainerStatus): FieldError[] {
  if (!devices?.length) return [];
  return [forbiddenField(path.child('allocatedResourcesStatus'), 'must not be specified in container status')];
}

function validateDevices(
  path: FieldPath,
  statuses: readonly ContainerStatus[] | undefined,
  containers: readonly Container[] = [],
): FieldError[] {
  return checkItems(path, statuses, (statusPath, status) =>
    checkItems(statusPath.child('allocatedResourcesStatus'), status.allocatedResourcesStatus, (itemPath, resource) => {
      const container = containers.find(({ name }) => name === status.name);
      return concat(
        container ? validateResourceName(itemPath.child('name'), resource.name, container) : [],
        validateHealth(itemPath.child('resources'), resource.resources),
      );
    }),
  );
}

const claimPrefix = 'claim:';
const notAClaim =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
const notARequest = "must match one of the container's resource requests";

function validateResourceName(path: FieldPath, name: string, { resources }: Container): FieldError[] {
  if (!name.startsWith(claimPrefix)) {
    return Object.hasOwn(resources?.requests ?? {}, name) ? [] : [invalidField(path, name, notARequest)];
  }
  const claims = resources?.claims ?? [];
  const found = claims.some((one) => claimPrefix + (one.request ? `${one.name}/${one.request}` : one.name) === name);
  return found ? [] : [invalidField(path, name, notAClaim)];
}

const longestMessage = 1024;

function validateHealth(path: FieldPath, devices: readonly ResourceHealth[] | undefined): FieldError[] {
  const seen = new Set<string>();
  return checkItems(path, devices, (itemPath, { health = '', message, resourceID }) => {
    const errors = checkSupported(itemPath.child('health'), health, ['Healthy', 'Unhealthy', 'Unknown']);
    if (message === '') errors.push(requiredField(itemPath.child('message'), 'must be non-empty if specified'));
    else if (message !== undefined && byteLength(message) > longestMessage) {
      errors.push(tooLongField(itemPath.child('message'), longestMessage));
    }
    if (seen.has(resourceID)) errors.push(duplicateField(itemPath.child('resourceID'), resourceID));
    seen.add(resourceID);
    return errors;
  });
}
