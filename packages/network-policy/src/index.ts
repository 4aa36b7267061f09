export { type Attempt, isAllowed, type Party } from './is-allowed.js';
export { type PolicyPlan, planPolicies } from './plan-policies.js';
export { PolicyEnforcer, type PolicyEnforcerOptions } from './policy-enforcer.js';
export type { PolicyWorld } from './policy-world.js';
export { policyTable } from './write-policies.js';
