import {
  byteLength,
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  type ObjectMeta,
  requiredField,
  scoped,
  tooLongField,
  validateLabels,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { HostAlias, PodResourceClaim, PodSchedulingGate, PodSpec } from '../../generated/types/core-v1.js';
import { checkRequiredSupported, checkValue, concat, wholeObject } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { checkLegacyIp } from '../../validation/ip-checks.js';
import { compareQuantities } from '../../validation/quantities.js';
import { isHugePageResource } from '../../validation/resource-names.js';
import { validateAffinity } from './affinity.validation.js';
import {
  type ContainerContext,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './container.validation.js';
import { validateEnvFileVolumes } from './env.validation.js';
import { podTypes } from './pod.internal-form.js';
import { mirrorAnnotation } from './pod-annotations.validation.js';
import { validateDns } from './pod-dns.validation.js';
import { validateOperatingSystem } from './pod-os.validation.js';
import { containerAmounts } from './pod-resources.defaults.js';
import { checkPodResourceName, validateResourceRequirements } from './resources.validation.js';
import { validatePodSecurityContext } from './security-context.validation.js';
import { validateTolerations } from './toleration.validation.js';
import { validateTopologySpread } from './topology-spread.validation.js';
import { visitContainers } from './visit-containers.js';
import { validateVolumes } from './volume.validation.js';
import { validateHostProcesses } from './windows-options.validation.js';

export interface PodSpecOptions {
  /** Given for a pod itself, absent for a template. */
  readonly podMeta?: ObjectMeta;
}

/** A pod spec, be it a pod's own or that of a template. Defaults must be set. */
export function validatePodSpec(path: FieldPath, spec: PodSpec, { podMeta }: PodSpecOptions = {}): FieldError[] {
  const volumes = validateVolumes(path.child('volumes'), spec.volumes ?? [], podMeta);
  const context = containerContext(spec, volumes.volumes);
  return concat(
    spec.terminationGracePeriodSeconds === undefined
      ? [requiredField(path.child('terminationGracePeriodSeconds'))]
      : [],
    volumes.errors,
    podMeta?.annotations?.[mirrorAnnotation] === undefined
      ? validateResourceClaims(path.child('resourceClaims'), spec.resourceClaims ?? [])
      : forbidResourceClaims(spec),
    validateContainers(path.child('containers'), spec.containers ?? [], context),
    validateInitContainers(path.child('initContainers'), spec, context),
    validateEphemeralContainers(path.child('ephemeralContainers'), spec, context),
    validatePodResources(path.child('resources'), spec, context.claimNames),
    validateHostNetworkPorts(path.child('containers'), spec, podMeta !== undefined),
    checkRequiredSupported(path.child('restartPolicy'), spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    checkRequiredSupported(path.child('dnsPolicy'), spec.dnsPolicy, dnsPolicies),
    validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    validatePodSecurityContext(path.child('securityContext'), spec),
    validateAffinity(path.child('affinity'), spec.affinity),
    validateDns(path.child('dnsConfig'), spec),
    validateGates(path, spec),
    validateTopologySpread(path.child('topologySpreadConstraints'), spec.topologySpreadConstraints),
    validateHostProcesses(path, spec),
    validateHostUsers(path, spec),
    validateHostnameOverride(path, spec),
    validateNames(path, spec),
    validateScheduling(path, spec),
    validateOperatingSystem(path, spec),
    validateEnvFileVolumes(path, spec),
  );
}

const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

function containerContext(spec: PodSpec, volumes: ContainerContext['volumes']): ContainerContext {
  return {
    volumes,
    claimNames: new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== '')),
    gracePeriodSeconds: spec.terminationGracePeriodSeconds,
    podRestartPolicy: spec.restartPolicy ?? '',
    hostUsers: spec.hostUsers ?? true,
  };
}

/** A static pod is not scheduled, so nothing can be allocated for it. */
function forbidResourceClaims({ resourceClaims = [] }: PodSpec): FieldError[] {
  return resourceClaims.map(() => forbiddenField(wholeObject, 'static pods do not support resource claims'));
}

function validateResourceClaims(path: FieldPath, claims: readonly PodResourceClaim[]): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, index) => {
    const itemPath = path.index(index);
    const { name = '' } = claim;
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredField(itemPath.child('name')));
    else if (names.has(name)) errors.push(duplicateField(itemPath.child('name'), name));
    else errors.push(...checkValue(itemPath.child('name'), name, isDns1123Label));
    names.add(name);
    return concat(errors, validateClaimSource(itemPath, claim));
  });
}

function validateClaimSource(path: FieldPath, claim: PodResourceClaim): FieldError[] {
  const { resourceClaimName, resourceClaimTemplateName } = claim;
  const shown = toInternalForm(claim, 'PodResourceClaim', podTypes);
  const errors: FieldError[] = [];
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const problem = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    errors.push(invalidField(path, shown, problem));
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    const problem = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
    errors.push(invalidField(path, shown, problem));
  }
  for (const [field, name] of Object.entries({ resourceClaimName, resourceClaimTemplateName })) {
    if (name !== undefined) errors.push(...checkValue(path.child(field), name, isDns1123Subdomain));
  }
  return errors;
}

/** Pod-level resources must be sufficient for all containers together, and for each one's limit. */
function validatePodResources(path: FieldPath, spec: PodSpec, claimNames: ReadonlySet<string>): FieldError[] {
  const { resources } = spec;
  if (!resources) return [];
  if (spec.os?.name === 'windows') return [forbiddenField(path, 'may not be set for a windows pod')];
  const errors: FieldError[] = [];
  if (resources.claims !== undefined) {
    errors.push(forbiddenField(path.child('claims'), 'claims may not be set for Resources at pod-level'));
  }
  errors.push(...validateResourceRequirements(path, resources, { claimNames, checkName: checkPodResourceName }));
  for (const [name, needed] of containerAmounts(spec, 'requests').sort()) {
    const requested = ownValue(resources.requests ?? {}, name);
    if (requested === undefined || compareQuantities(needed, requested) <= 0) continue;
    const problem = `must be greater than or equal to aggregate container requests of ${needed}`;
    errors.push(invalidField(path.child('requests').key(name), requested, problem));
  }
  return concat(errors, validatePageLimits(path.child('limits'), spec), validateContainerLimits(path, spec));
}

/** Huge pages are given out as they are limited, so that the pod's limit must cover all of its containers'. */
function validatePageLimits(path: FieldPath, spec: PodSpec): FieldError[] {
  return containerAmounts(spec, 'limits').flatMap(([name, needed]) => {
    const limit = ownValue(spec.resources?.limits ?? {}, name);
    if (!isHugePageResource(name) || limit === undefined || compareQuantities(needed, limit) <= 0) return [];
    const problem = `must be greater than or equal to aggregate container limits of ${needed}`;
    return [invalidField(path.key(name), limit, problem)];
  });
}

function validateContainerLimits(path: FieldPath, { containers, resources }: PodSpec): FieldError[] {
  return (containers ?? []).flatMap((container, index) =>
    Object.entries(container.resources?.limits ?? {}).flatMap(([name, limit]) => {
      const ofPod = ownValue(resources?.limits ?? {}, name);
      if (ofPod === undefined || compareQuantities(limit, ofPod) <= 0) return [];
      const limitPath = path.child('containers').index(index).key(name).child('limits');
      return [invalidField(limitPath, limit, `must be less than or equal to pod limits of ${ofPod}`)];
    }),
  );
}

/** On the host's network a port is the host's, whatever it says; a template may leave it open. */
function validateHostNetworkPorts(path: FieldPath, { hostNetwork, containers }: PodSpec, isPod: boolean): FieldError[] {
  if (!hostNetwork) return [];
  return (containers ?? []).flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort }, portIndex) => {
      if (hostPort === containerPort || (!isPod && hostPort === 0)) return [];
      const portPath = path.index(index).child('ports').index(portIndex).child('hostPort');
      return [invalidField(portPath, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function validateGates(path: FieldPath, { readinessGates = [], schedulingGates = [] }: PodSpec): FieldError[] {
  return concat(
    readinessGates.flatMap(({ conditionType = '' }, index) =>
      checkValue(path.child('readinessGates').index(index).child('conditionType'), conditionType, isQualifiedName),
    ),
    validateSchedulingGates(path.child('schedulingGates'), schedulingGates),
  );
}

function validateSchedulingGates(path: FieldPath, gates: readonly PodSchedulingGate[]): FieldError[] {
  const seen = new Set<string>();
  return gates.flatMap(({ name = '' }, index) => {
    const errors = checkValue(path.index(index), name, isQualifiedName);
    if (seen.has(name)) errors.push(duplicateField(path.index(index), name));
    seen.add(name);
    return errors;
  });
}

const withoutHostUsers = 'when `hostUsers` is false';

/** A user namespace is incompatible with other host namespaces and with raw devices. */
function validateHostUsers(path: FieldPath, spec: PodSpec): FieldError[] {
  const { hostUsers, hostNetwork, hostPID, hostIPC } = spec;
  if (hostUsers !== false) return [];
  const forbidden = (place: FieldPath) => forbiddenField(place, withoutHostUsers);
  const network = hostNetwork ? [forbidden(path.child('hostNetwork'))] : [];
  const others = Object.entries({ HostPID: hostPID, HostIPC: hostIPC })
    .filter(([, isShared]) => isShared)
    .map(([field]) => forbidden(path.child(field)));
  const devices = visitContainers(path, spec)
    .filter(({ container }) => container.volumeDevices?.length)
    .map((visited) => forbidden(visited.path.child('volumeDevices')));
  return concat(
    scoped(network, { newRule: 'users on the host network', whileOff: 'UserNamespacesHostNetworkSupport' }),
    others,
    scoped(devices, { newRule: 'users with devices' }),
  );
}

function validateNames(path: FieldPath, spec: PodSpec): FieldError[] {
  const { serviceAccountName, nodeName, activeDeadlineSeconds: deadline, hostname, subdomain } = spec;
  const errors: FieldError[] = [];
  if (serviceAccountName)
    errors.push(...checkValue(path.child('serviceAccountName'), serviceAccountName, isDns1123Subdomain));
  if (nodeName) errors.push(...checkValue(path.child('nodeName'), nodeName, isDns1123Subdomain));
  if (deadline !== undefined && (deadline < 1 || deadline > 2147483647)) {
    const problem = 'must be between 1 and 2147483647, inclusive';
    errors.push(invalidField(path.child('activeDeadlineSeconds'), deadline, problem));
  }
  if (hostname) errors.push(...checkValue(path.child('hostname'), hostname, isDns1123Label));
  if (subdomain) errors.push(...checkValue(path.child('subdomain'), subdomain, isDns1123Label));
  return errors;
}

/** A hostname that is given whole, and no longer than the kernel takes. */
function validateHostnameOverride(
  path: FieldPath,
  { hostnameOverride: name, hostNetwork, setHostnameAsFQDN }: PodSpec,
): FieldError[] {
  if (name === undefined) return [];
  const namePath = path.child('hostnameOverride');
  const errors: FieldError[] = [];
  if (setHostnameAsFQDN) errors.push(forbiddenField(namePath, 'may not be specified when setHostnameAsFQDN is true'));
  if (hostNetwork) errors.push(forbiddenField(namePath, 'may not be specified when hostNetwork is true'));
  if (byteLength(name) > 64) errors.push(tooLongField(namePath, 64));
  return concat(errors, checkValue(namePath, name, isDns1123Subdomain));
}

function validateScheduling(path: FieldPath, spec: PodSpec): FieldError[] {
  const { priorityClassName, runtimeClassName, preemptionPolicy, overhead } = spec;
  const errors = validateTolerations(path.child('tolerations'), spec.tolerations);
  errors.push(...validateHostAliases(path.child('hostAliases'), spec.hostAliases ?? []));
  if (priorityClassName)
    errors.push(...checkValue(path.child('priorityClassName'), priorityClassName, isDns1123Subdomain));
  if (runtimeClassName !== undefined) {
    errors.push(...checkValue(path.child('runtimeClassName'), runtimeClassName, isDns1123Subdomain));
  }
  if (preemptionPolicy !== undefined) {
    const policies = ['PreemptLowerPriority', 'Never'];
    errors.push(...checkRequiredSupported(path.child('preemptionPolicy'), preemptionPolicy, policies));
  }
  if (overhead) errors.push(...validateResourceRequirements(path.child('overhead'), { limits: overhead }));
  return errors;
}

function validateHostAliases(path: FieldPath, aliases: readonly HostAlias[]): FieldError[] {
  return aliases.flatMap(({ ip = '', hostnames = [] }, index) => [
    ...checkLegacyIp(path.index(index).child('ip'), ip),
    ...hostnames.flatMap((name, i) =>
      checkValue(path.index(index).child('hostnames').index(i), name, isDns1123Subdomain),
    ),
  ]);
}
