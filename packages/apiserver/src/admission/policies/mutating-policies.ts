import { type admissionregistrationv1, refs } from '@coracle/api';
import { CelError, type KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionVersion, MutationRounds } from '../admission.js';
import { restoredFrom } from '../expressions/admission-request.js';
import type { Candidate } from '../matching/candidates.js';
import { Reinvocations } from '../reinvocations.js';
import { applyMutation, MutationProblem } from './apply-mutation.js';
import { evaluatePolicy, isAbout, isBound, type PolicyDependencies, subjectOf } from './evaluate-policy.js';
import type { Binding, Policy, PolicyCompiler } from './policy.js';
import type { Budget, PolicyExpression, Values } from './policy-environment.js';
import { ConfigurationProblem, paramResource, paramsFor } from './policy-params.js';
import { PolicySource } from './policy-source.js';
import { mutationDenied } from './policy-verdicts.js';

type Spec = admissionregistrationv1.MutatingAdmissionPolicySpec;

const pluginName = 'MutatingAdmissionPolicy';

export interface CompiledMutation {
  readonly kind: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: PolicyExpression;
}

interface MutatingPolicy extends Policy {
  readonly mutations: readonly CompiledMutation[];
  readonly mayBeReinvoked: boolean;
}

/** Changes what is written as MutatingAdmissionPolicies that are bound say, one after the other. */
export function mutatingPolicies(deps: PolicyDependencies): AdmissionPlugin {
  const kinds = { policies: refs.mutatingAdmissionPolicies, bindings: refs.mutatingAdmissionPolicyBindings };
  const source = new PolicySource(deps.objects, kinds, complete);
  return {
    name: pluginName,
    handles: () => true,
    concerns: (attributes) => source.current.for(attributes).length > 0,
    mutate: (attributes, rounds) => mutateByAll(deps, source.current.for(attributes), { attributes, rounds }),
  };
}

function complete(policy: Policy, spec: object, { expressions }: PolicyCompiler): MutatingPolicy {
  const { mutations = [], reinvocationPolicy } = spec as Spec;
  return {
    ...policy,
    mayBeReinvoked: reinvocationPolicy === 'IfNeeded',
    mutations: mutations.map(({ patchType, applyConfiguration, jsonPatch }) => ({
      kind: patchType === 'JSONPatch' ? 'JSONPatch' : 'ApplyConfiguration',
      expression: expressions.compile(applyConfiguration?.expression ?? jsonPatch?.expression ?? ''),
    })),
  };
}

interface Round {
  readonly attributes: AdmissionAttributes;
  readonly rounds: MutationRounds;
}

async function mutateByAll(
  deps: PolicyDependencies,
  candidates: readonly Candidate<MutatingPolicy>[],
  { attributes: first, rounds }: Round,
): Promise<KubeObject | undefined> {
  let attributes = first;
  if (!attributes.object) return undefined;
  const reinvocations = Reinvocations.of(rounds, pluginName);
  reinvocations.beginRound(attributes.object);
  for (const candidate of candidates) {
    if (!(await isAbout(deps, candidate, attributes))) continue;
    for (const binding of candidate.item.bindings) {
      const id = `${candidate.item.name}/${binding.name}`;
      if (!reinvocations.isDue(id) || !(await isBound(deps, binding, attributes))) continue;
      const changed = await mutateByBinding(deps, candidate, { binding, attributes });
      if (candidate.item.mayBeReinvoked) reinvocations.invoked(id);
      if (!changed) continue;
      attributes = { ...attributes, object: changed };
      reinvocations.changed();
    }
  }
  reinvocations.endRound(attributes.object);
  return attributes.object;
}

interface Attempt {
  readonly binding: Binding;
  readonly attributes: AdmissionAttributes;
}

/** What a policy makes of the object; `undefined` if it leaves it as it is. */
async function mutateByBinding(
  deps: PolicyDependencies,
  candidate: Candidate<MutatingPolicy>,
  { binding, attributes: first }: Attempt,
): Promise<KubeObject | undefined> {
  const { item: policy, match } = candidate;
  let attributes = first;
  let isChanged = false;
  try {
    for (const params of await paramsFor(paramResource(deps.params, policy), binding, attributes)) {
      const changed = await mutateWith(deps, candidate, { attributes, params });
      if (!changed) continue;
      attributes = { ...attributes, object: await restoredFrom(attributes, match.version, changed) };
      isChanged = true;
    }
  } catch (error) {
    const isConfiguration = error instanceof ConfigurationProblem;
    if (!isConfiguration && !(error instanceof MutationProblem) && !CelError.is(error)) throw error;
    if (policy.ignoresFailure) return undefined;
    throw mutationDenied(attributes, {
      policy: policy.name,
      binding: isConfiguration && error.isOfPolicy ? undefined : binding.name,
      message: error.message,
      ...(isConfiguration && { reason: 'Forbidden' }),
    });
  }
  return isChanged ? attributes.object : undefined;
}

/** Each mutation sees what the one before it made. */
async function mutateWith(
  deps: PolicyDependencies,
  candidate: Candidate<MutatingPolicy>,
  { attributes, params }: { readonly attributes: AdmissionAttributes; readonly params: KubeObject | null },
): Promise<KubeObject | undefined> {
  const { item: policy, match } = candidate;
  const subject = await subjectOf(deps, candidate, attributes);
  if (!subject.object) return undefined;
  const meets = await evaluatePolicy(deps, policy, { ...subject, params }, (values) => meetsConditions(policy, values));
  if (!meets) return undefined;
  let object: KubeObject = subject.object;
  for (const mutation of policy.mutations) {
    const seen = await subjectIn(deps, candidate, {
      ...attributes,
      object: await restoredFrom(attributes, match.version, object),
    });
    object = await evaluatePolicy(deps, policy, { ...seen, params }, (values, { budget }) =>
      mutated(seen.object ?? object, match.version, { mutation, values, budget }),
    );
  }
  return deepEqual(object, subject.object) ? undefined : object;
}

const subjectIn = subjectOf;

function meetsConditions({ conditions }: MutatingPolicy, values: Values): boolean {
  if (conditions.isEmpty) return true;
  const met = conditions.evaluate(values);
  if (met.kind === 'error') throw new MutationProblem(met.message);
  return met.kind === 'matches';
}

interface Step {
  readonly mutation: CompiledMutation;
  readonly values: Values;
  readonly budget: Budget;
}

function mutated(object: KubeObject, { schema }: AdmissionVersion, { mutation, values, budget }: Step): KubeObject {
  const { value, error } = mutation.expression.run(values, budget);
  if (error) throw new MutationProblem(mutation.expression.failureText(error));
  const changed = applyMutation(mutation.kind, { object, value, schema });
  const { kind, apiVersion } = object;
  return { ...changed, ...(kind && { kind }), ...(apiVersion && { apiVersion }) };
}
