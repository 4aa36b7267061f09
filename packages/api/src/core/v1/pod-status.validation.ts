import {
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Subdomain,
  isQualifiedName,
  parseIp,
} from '@coracle/apimachinery';
import type { ContainerStatus, HostIP, Pod, PodIP, PodSpec, PodStatus } from '../../generated/types/core-v1.js';
import { checkImmutable, checkValue } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { checkIp } from '../../validation/ip-checks.js';
import { validatePodAnnotations, validatePodAnnotationUpdate } from './pod-annotations.validation.js';

const statusPath = FieldPath.of('status');
const metadataPath = FieldPath.of('metadata');

export function validatePodStatusUpdate(pod: Pod, previous: Pod): FieldError[] {
  const annotationsPath = metadataPath.child('annotations');
  const spec = pod.spec ?? { containers: [] };
  const { status = {} } = pod;
  const { status: old = {} } = previous;
  return [
    ...validatePodAnnotationUpdate(annotationsPath, pod.metadata.annotations, previous.metadata.annotations),
    ...validatePodAnnotations(annotationsPath, pod.metadata.annotations, spec),
    ...validateConditions(status),
    ...(spec.nodeName === previous.spec?.nodeName
      ? []
      : [forbiddenField(statusPath.child('nodeName'), 'may not be changed directly')]),
    ...validateNominatedNode(status, old),
    ...checkImmutable(statusPath.child('qosClass'), status.qosClass ?? '', old.qosClass ?? ''),
    ...validateContainerStates(status, old, previous.spec ?? { containers: [] }),
    ...validateClaimStatuses(status, spec),
    ...validateAddresses(status),
  ];
}

const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);

function validateConditions({ conditions = [] }: PodStatus): FieldError[] {
  return conditions.flatMap(({ type }, index) => {
    const path = metadataPath.child('conditions').index(index).child('Type');
    return systemConditions.has(type) ? [] : checkValue(path, type, isQualifiedName);
  });
}

function validateNominatedNode({ nominatedNodeName: name }: PodStatus, previous: PodStatus): FieldError[] {
  if (!name || name === previous.nominatedNodeName) return [];
  return checkValue(statusPath.child('nominatedNodeName'), name, isDns1123Subdomain);
}

/** A container that has ended for good cannot be said to run again. */
function validateContainerStates(status: PodStatus, previous: PodStatus, spec: PodSpec): FieldError[] {
  const policy = spec.restartPolicy ?? '';
  const sidecars = new Set(
    (spec.initContainers ?? []).filter((one) => one.restartPolicy === 'Always').map(({ name }) => name),
  );
  const check = (list: StatusList, restarts: (old: ContainerStatus) => boolean) =>
    validateTransitions(statusPath.child(list), { now: status[list] ?? [], before: previous[list] ?? [], restarts });
  const byPolicy = (old: ContainerStatus) =>
    policy === 'Always' || (policy === 'OnFailure' && old.state?.terminated?.exitCode !== 0);
  return [
    ...check('containerStatuses', byPolicy),
    ...check('initContainerStatuses', (old) => byPolicy(old) || sidecars.has(old.name)),
    ...check('ephemeralContainerStatuses', () => false),
  ];
}

type StatusList = 'containerStatuses' | 'initContainerStatuses' | 'ephemeralContainerStatuses';

interface Transitions {
  readonly now: readonly ContainerStatus[];
  readonly before: readonly ContainerStatus[];
  restarts(old: ContainerStatus): boolean;
}

function validateTransitions(path: FieldPath, { now, before, restarts }: Transitions): FieldError[] {
  return before.flatMap((old, index) => {
    if (!old.state?.terminated || restarts(old)) return [];
    const revived = now.filter((one) => one.name === old.name && !one.state?.terminated);
    const problem = 'may not be transitioned to non-terminated state';
    return revived.map(() => forbiddenField(path.index(index).child('state'), problem));
  });
}

function validateClaimStatuses(
  { resourceClaimStatuses = [] }: PodStatus,
  { resourceClaims = [] }: PodSpec,
): FieldError[] {
  const seen = new Set<string>();
  return resourceClaimStatuses.flatMap(({ name, resourceClaimName }, index) => {
    const path = statusPath.child('resourceClaimStatuses').index(index).child('name');
    const errors: FieldError[] = [];
    if (!resourceClaims.some((claim) => claim.name === name)) {
      errors.push(invalidField(path, name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (seen.has(name)) errors.push(duplicateField(path, name));
    seen.add(name);
    if (resourceClaimName !== undefined) errors.push(...checkValue(path, resourceClaimName, isDns1123Subdomain));
    return errors;
  });
}

const addressTypes = { Address: 'IP:s' };

function validateAddresses({ podIPs = [], hostIP = '', hostIPs = [] }: PodStatus): FieldError[] {
  const hostPath = statusPath.child('hostIPs');
  const first = hostIPs[0]?.ip;
  const errors = validateAddressList(statusPath.child('podIPs'), podIPs);
  if (first !== undefined && first !== hostIP) {
    errors.push(invalidField(hostPath.index(0).child('ip'), first, 'must be equal to `hostIP`'));
  }
  return [...errors, ...validateAddressList(hostPath, hostIPs)];
}

/** At most one address of each family. */
function validateAddressList(path: FieldPath, addresses: readonly (PodIP | HostIP)[]): FieldError[] {
  const errors = addresses.flatMap(({ ip }, index) => checkIp(path.index(index), ip));
  if (addresses.length < 2) return errors;
  const families = new Set(addresses.map(({ ip }) => parseIp(ip)?.family));
  if (families.size < 2 || addresses.length > 2) {
    const shown = toInternalForm(addresses, '[Address]', addressTypes);
    errors.push(invalidField(path, shown, 'may specify no more than one IP for each IP family'));
  }
  const seen = new Set<string>();
  for (const [index, address] of addresses.entries()) {
    if (seen.has(address.ip))
      errors.push(duplicateField(path.index(index), toInternalForm(address, 'Address', addressTypes)));
    seen.add(address.ip);
  }
  return errors;
}
