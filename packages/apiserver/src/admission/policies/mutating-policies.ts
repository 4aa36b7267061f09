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
import { type Denial, mutationDenied } from './policy-verdicts.js';

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

/** Applies bound MutatingAdmissionPolicies to an object, one after the other. */
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
  const { invocations, denials } = await invocationsOf(deps, candidates, attributes);
  for (const invocation of invocations) {
    const { policy } = invocation;
    const problem = (error: unknown) => {
      if (!(error instanceof MutationProblem) && !CelError.is(error)) throw error;
      if (policy.ignoresFailure) return;
      const { message } = error;
      denials.push({ policy: policy.name, binding: invocation.binding.name, message, reason: 'Invalid' });
    };
    if (!(await isDue(deps, invocation, { attributes, reinvocations }).catch(problem))) continue;
    const changed = await mutateBy(deps, invocation, { attributes, problem });
    if (!deepEqual(changed, attributes.object)) {
      attributes = { ...attributes, object: changed };
      reinvocations.changed();
    }
    if (policy.mayBeReinvoked) reinvocations.invoked(invocation.id);
  }
  // Also reinvokes the last policy that changed the object.
  if (attributes !== first) reinvocations.changed();
  reinvocations.endRound(attributes.object);
  if (denials.length > 0) throw mutationDenied(attributes, denials);
  return attributes.object;
}

/** A policy with one binding and one parameter. */
interface Invocation {
  readonly id: string;
  readonly candidate: Candidate<MutatingPolicy>;
  readonly policy: MutatingPolicy;
  readonly binding: Binding;
  readonly params: KubeObject | null;
}

/** The attributes of the original request: policies match these only. */
async function invocationsOf(
  deps: PolicyDependencies,
  candidates: readonly Candidate<MutatingPolicy>[],
  attributes: AdmissionAttributes,
): Promise<{ readonly invocations: readonly Invocation[]; readonly denials: Denial[] }> {
  const invocations: Invocation[] = [];
  const denials: Denial[] = [];
  for (const candidate of candidates) {
    if (!(await isAbout(deps, candidate, attributes))) continue;
    const { item: policy } = candidate;
    const problem = (error: unknown, binding?: Binding) => {
      if (!(error instanceof ConfigurationProblem)) throw error;
      if (!policy.ignoresFailure) denials.push({ policy: policy.name, binding: binding?.name, message: error.message });
    };
    try {
      const resource = paramResource(deps.params, policy);
      for (const binding of policy.bindings) {
        if (!(await isBound(deps, binding, attributes))) continue;
        const all = await paramsFor(resource, binding, attributes).catch((error) => problem(error, binding));
        for (const params of all ?? []) {
          const { namespace = '', name = '' } = params?.metadata ?? {};
          const id = [policy.name, binding.name, namespace, name].join('/');
          invocations.push({ id, candidate, policy, binding, params });
        }
      }
    } catch (error) {
      problem(error);
    }
  }
  return { invocations, denials };
}

async function isDue(
  deps: PolicyDependencies,
  { id, candidate, policy, params }: Invocation,
  { attributes, reinvocations }: { readonly attributes: AdmissionAttributes; readonly reinvocations: Reinvocations },
): Promise<boolean> {
  if (policy.conditions.isEmpty) return reinvocations.isDue(id);
  const subject = await subjectOf(deps, candidate, attributes);
  const meets = await evaluatePolicy(deps, policy, { ...subject, params }, (values) => meetsConditions(policy, values));
  return meets && reinvocations.isDue(id);
}

/** The object after all mutations: each sees the result of the previous one. A mutation that fails changes nothing. */
async function mutateBy(
  deps: PolicyDependencies,
  { candidate, policy, params }: Invocation,
  {
    attributes: first,
    problem,
  }: { readonly attributes: AdmissionAttributes; readonly problem: (error: unknown) => void },
): Promise<KubeObject> {
  const { version } = candidate.match;
  let attributes = first;
  for (const mutation of policy.mutations) {
    try {
      const subject = await subjectOf(deps, candidate, attributes);
      const { object } = subject;
      if (!object) continue;
      const changed = await evaluatePolicy(deps, policy, { ...subject, params }, (values, { budget }) =>
        mutated(object, version, { mutation, values, budget }),
      );
      if (deepEqual(changed, object)) continue;
      attributes = { ...attributes, object: await restoredFrom(attributes, version, changed) };
    } catch (error) {
      problem(error);
    }
  }
  return attributes.object as KubeObject;
}

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
