import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Subdomain,
  isQualifiedName,
  parseIp,
} from '@coracle/apimachinery';
import type {
  Container,
  ContainerStatus,
  HostIP,
  Pod,
  PodIP,
  PodSpec,
  PodStatus,
} from '../../generated/types/core-v1.js';
import { checkImmutable, checkValue } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { checkLegacyIp } from '../../validation/ip-checks.js';
import {
  validateClaimStatuses,
  validateExtendedResourceClaim,
  validateNodeAllocatableClaims,
} from './claim-status.validation.js';
import { mayRestart, mayRestartAll } from './container-restart.js';
import { validateContainerReports } from './container-status.validation.js';
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
    ...validateNominatedNode(status, previous),
    ...validateGeneration(statusPath, status.observedGeneration),
    ...checkImmutable(statusPath.child('qosClass'), status.qosClass ?? '', old.qosClass ?? ''),
    ...validateContainerStates(status, old, previous.spec ?? { containers: [] }),
    ...validateClaimStatuses(status, spec),
    ...validateExtendedResourceClaim(status, spec),
    ...validateNodeAllocatableClaims(status, spec),
    ...validateAddresses(status),
    ...validateContainerReports(statusPath, status, spec),
  ];
}

const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);

function validateConditions({ conditions = [] }: PodStatus): FieldError[] {
  return conditions.flatMap(({ type, observedGeneration }, index) => {
    const path = statusPath.child('conditions').index(index);
    const errors = validateGeneration(path, observedGeneration);
    return systemConditions.has(type) ? errors : [...errors, ...checkValue(path.child('Type'), type, isQualifiedName)];
  });
}

function validateGeneration(path: FieldPath, generation = 0): FieldError[] {
  if (generation >= 0) return [];
  return [invalidField(path.child('observedGeneration'), generation, 'must be a non-negative integer')];
}

/** Where a pod is expected to go is of no more interest once it is there. */
function validateNominatedNode({ nominatedNodeName: name }: PodStatus, previous: Pod): FieldError[] {
  if (!name || name === previous.status?.nominatedNodeName) return [];
  const path = statusPath.child('nominatedNodeName');
  const errors = checkValue(path, name, isDns1123Subdomain);
  if (!previous.spec?.nodeName) return errors;
  return [...errors, forbiddenField(path, 'may not be set on pods that are already bound to a node')];
}

/** A container that has terminated and will not restart cannot change to running. */
function validateContainerStates(status: PodStatus, previous: PodStatus, spec: PodSpec): FieldError[] {
  const check = (list: StatusList, containers: readonly Container[]) =>
    validateTransitions(statusPath.child(list), {
      now: status[list] ?? [],
      before: previous[list] ?? [],
      restarts: ({ name, state }) => {
        const container = containers.find((one) => one.name === name);
        return container !== undefined && mayRestart(container, spec, state?.terminated?.exitCode ?? 0);
      },
    });
  const ephemeral = check('ephemeralContainerStatuses', []);
  if (mayRestartAll(spec)) return ephemeral;
  return [
    ...check('containerStatuses', spec.containers ?? []),
    ...check('initContainerStatuses', spec.initContainers ?? []),
    ...ephemeral,
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
  const errors = addresses.flatMap(({ ip }, index) => checkLegacyIp(path.index(index), ip));
  if (addresses.length < 2) return errors;
  const families = new Set(addresses.map(({ ip }) => parseIp(ip)?.family));
  if (families.size < 2 || addresses.length > 2) {
    const shown = toInternalForm(addresses, '[Address]', addressTypes);
    errors.push(invalidField(path, shown, 'may specify no more than one IP for each IP family'));
  }
  return errors;
}
