import {
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
} from '@coracle/apimachinery';
import type {
  PodGroup,
  PodGroupResourceClaim,
  PodGroupSchedulingPolicy,
  PodGroupSpec,
  PodGroupTemplate,
  WorkloadPodGroupTemplateReference,
} from '../../generated/types/scheduling-v1alpha2.js';
import { checkConditions } from '../../validation/conditions.js';
import {
  checkImmutable,
  checkItems,
  checkMaxItems,
  checkPositive,
  checkRequiredValue,
  checkSupported,
  checkValue,
  concat,
} from '../../validation/field-checks.js';

const specPath = FieldPath.of('spec');
const disruptionModes = ['Pod', 'PodGroup'];
const maxTopologyConstraints = 1;
const maxResourceClaims = 4;

/** Pods that are scheduled together. */
export function validatePodGroup({ spec }: PodGroup): FieldError[] {
  const template = spec.podGroupTemplateRef?.workload;
  return concat(
    checkGroup(specPath, spec),
    template ? checkTemplateReference(specPath.child('podGroupTemplateRef', 'workload'), template) : [],
  );
}

/** Pods are scheduled by what their group was created with. */
export function validatePodGroupUpdate(group: PodGroup, previous: PodGroup): FieldError[] {
  return concat(validatePodGroup(group), checkImmutable(specPath, group.spec, previous.spec));
}

export function validatePodGroupStatusUpdate({ status }: PodGroup): FieldError[] {
  return checkConditions(FieldPath.of('status', 'conditions'), status?.conditions);
}

function checkTemplateReference(
  path: FieldPath,
  { workloadName, podGroupTemplateName }: WorkloadPodGroupTemplateReference,
): FieldError[] {
  return concat(
    checkRequiredValue(path.child('workloadName'), workloadName, isDns1123Subdomain),
    checkRequiredValue(path.child('podGroupTemplateName'), podGroupTemplateName, isDns1123Label),
  );
}

/** Fields that groups and their templates share. */
export function checkGroup(path: FieldPath, group: PodGroupSpec | PodGroupTemplate): FieldError[] {
  const { schedulingPolicy, schedulingConstraints, disruptionMode, priorityClassName, resourceClaims = [] } = group;
  const topology = schedulingConstraints?.topology ?? [];
  const topologyPath = path.child('schedulingConstraints', 'topology');
  return concat(
    checkPolicy(path.child('schedulingPolicy'), schedulingPolicy),
    checkMaxItems(topologyPath, topology, maxTopologyConstraints),
    checkItems(topologyPath, topology, (item, { key }) => checkRequiredValue(item.child('key'), key, isQualifiedName)),
    disruptionMode === undefined ? [] : checkSupported(path.child('disruptionMode'), disruptionMode, disruptionModes),
    priorityClassName ? checkValue(path.child('priorityClassName'), priorityClassName, isDns1123Subdomain) : [],
    checkMaxItems(path.child('resourceClaims'), resourceClaims, maxResourceClaims),
    checkItems(path.child('resourceClaims'), resourceClaims, checkClaim),
  );
}

function checkPolicy(path: FieldPath, policy: PodGroupSchedulingPolicy): FieldError[] {
  const members = ['basic', 'gang'] as const;
  const setMembers = members.filter((member) => policy[member] !== undefined);
  return concat(
    checkOneOf(path, members, setMembers),
    policy.gang ? checkPositive(path.child('gang', 'minCount'), policy.gang.minCount) : [],
  );
}

function checkClaim(path: FieldPath, claim: PodGroupResourceClaim): FieldError[] {
  const members = ['resourceClaimName', 'resourceClaimTemplateName'] as const;
  const setMembers = members.filter((member) => claim[member] !== undefined);
  return concat(
    checkRequiredValue(path.child('name'), claim.name, isDns1123Label),
    checkOneOf(path, members, setMembers),
    ...setMembers.map((member) => checkValue(path.child(member), claim[member] ?? '', isDns1123Subdomain)),
  );
}

function checkOneOf(path: FieldPath, members: readonly string[], setMembers: readonly string[]): FieldError[] {
  const names = members.map((member) => `\`${member}\``).join(', ');
  if (setMembers.length === 0) return [invalidField(path, '', `must specify one of: ${names}`)];
  if (setMembers.length === 1) return [];
  return [invalidField(path, `{${setMembers.join(', ')}}`, `must specify exactly one of: ${names}`)];
}
