import {
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  requiredField,
} from '@coracle/apimachinery';
import type { Container, ContainerExtendedResourceRequest, PodSpec, PodStatus } from '../../generated/types/core-v1.js';
import { checkItems, checkRequiredValue, checkValue } from '../../validation/field-checks.js';
import { isNativeResource } from '../../validation/resource-names.js';
import { amountsOf } from './pod-resources.js';

const statusPath = FieldPath.of('status');

/** The claims that were created for the pod, by their names in its spec. */
export function validateClaimStatuses(
  { resourceClaimStatuses = [] }: PodStatus,
  { resourceClaims = [] }: PodSpec,
): FieldError[] {
  const seen = new Set<string>();
  return checkItems(
    statusPath.child('resourceClaimStatuses'),
    resourceClaimStatuses,
    (itemPath, { name, resourceClaimName }) => {
      const path = itemPath.child('name');
      const errors: FieldError[] = [];
      if (!resourceClaims.some((claim) => claim.name === name)) {
        errors.push(invalidField(path, name, 'must match the name of an entry in `spec.resourceClaims`'));
      }
      if (seen.has(name)) errors.push(duplicateField(path, name));
      seen.add(name);
      // Upstream names the same field here.
      if (resourceClaimName !== undefined) errors.push(...checkValue(path, resourceClaimName, isDns1123Subdomain));
      return errors;
    },
  );
}

/** The claim that the scheduler made for extended resources, and for which of them it is. */
export function validateExtendedResourceClaim(
  { extendedResourceClaimStatus: claim }: PodStatus,
  { containers = [], initContainers = [] }: PodSpec,
): FieldError[] {
  if (!claim) return [];
  const path = statusPath.child('extendedResourceClaimStatus');
  const mappings = claim.requestMappings ?? [];
  const mappingsPath = path.child('requestMappings');
  const byName = new Map([...initContainers, ...containers].map((one) => [one.name, one]));
  const seen = new Set<string>();
  return [
    ...(mappings.length > 0 ? [] : [requiredField(mappingsPath, 'at least one request mapping is required')]),
    ...checkItems(mappingsPath, mappings, (itemPath, mapping) => [
      ...checkRequested(itemPath, mapping, byName.get(mapping.containerName)),
      // Upstream leaves out the field path of the mapping.
      ...checkValue(path.child('requestName'), mapping.requestName, isDns1123Label),
      ...checkOnce(itemPath, mapping, seen),
    ]),
    ...checkRequiredValue(path.child('resourceClaimName'), claim.resourceClaimName, isDns1123Subdomain),
  ];
}

/** The node resources that devices of claims use, by container. */
export function validateNodeAllocatableClaims(status: PodStatus, { resourceClaims = [] }: PodSpec): FieldError[] {
  const named = [...resourceClaims, ...(status.resourceClaimStatuses ?? [])].map((claim) => claim.resourceClaimName);
  const path = statusPath.child('nodeAllocatableResourceClaimStatuses');
  return checkItems(path, status.nodeAllocatableResourceClaimStatuses, (at, claim) => {
    const { resourceClaimName: name = '', containers = [], resources = {} } = claim;
    const nameField = at.child('resourceClaimName');
    return [
      ...(name === '' ? [requiredField(nameField, 'must not be empty')] : []),
      ...(named.includes(name) ? [] : [invalidField(nameField, name, 'no mapping found in pod reference')]),
      ...(containers.length === 0 ? [requiredField(at.child('containers'), 'must not be empty')] : []),
      ...checkAllocated(at.child('resources'), resources),
    ];
  });
}

function checkAllocated(path: FieldPath, resources: Readonly<Record<string, string>>): FieldError[] {
  if (Object.keys(resources).length === 0) return [requiredField(path, 'must not be empty')];
  return [...amountsOf(resources)].flatMap(([name, amount]) => [
    ...(isNativeResource(name) ? [] : [invalidField(path.key(name), name, 'must be a node allocatable resource name')]),
    ...(amount.sign < 0 ? [invalidField(path.key(name), amount.toString(), 'must be non-negative')] : []),
  ]);
}

const noContainer = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
const notRequested =
  'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';

function checkRequested(
  path: FieldPath,
  { containerName, resourceName }: ContainerExtendedResourceRequest,
  container: Container | undefined,
): FieldError[] {
  if (!container) return [invalidField(path.child('containerName'), containerName, noContainer)];
  if (Object.hasOwn(container.resources?.requests ?? {}, resourceName)) return [];
  return [invalidField(path.child('resourceName'), resourceName, notRequested)];
}

function checkOnce(path: FieldPath, mapping: ContainerExtendedResourceRequest, seen: Set<string>): FieldError[] {
  const { containerName, resourceName, requestName } = mapping;
  const key = JSON.stringify([containerName, resourceName, requestName]);
  if (!seen.has(key)) {
    seen.add(key);
    return [];
  }
  return Object.entries({ containerName, resourceName, requestName }).map(([field, value]) =>
    duplicateField(path.child(field), value),
  );
}
