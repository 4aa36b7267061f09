import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../generated/types/admissionregistration-v1.js';

export function setValidatingAdmissionPolicyDefaults({ spec }: ValidatingAdmissionPolicy): void {
  if (!spec) return;
  spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(spec.matchConstraints);
}

export function setMutatingAdmissionPolicyDefaults({ spec }: MutatingAdmissionPolicy): void {
  if (!spec) return;
  spec.failurePolicy ??= 'Fail';
  setMatchResourcesDefaults(spec.matchConstraints);
}

export function setPolicyBindingDefaults({
  spec,
}: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding): void {
  setMatchResourcesDefaults(spec?.matchResources);
}

function setMatchResourcesDefaults(resources: MatchResources | undefined): void {
  if (!resources) return;
  resources.matchPolicy ??= 'Equivalent';
  resources.namespaceSelector ??= {};
  resources.objectSelector ??= {};
  const rules = [...(resources.resourceRules ?? []), ...(resources.excludeResourceRules ?? [])];
  for (const rule of rules) rule.scope ??= '*';
}
