import { type admissionregistrationv1, refs } from '@coracle/api';
import { CelError } from '@coracle/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import type { Candidate } from '../matching/candidates.js';
import {
  evaluatePolicy,
  isAbout,
  isBound,
  type PolicyDependencies,
  type PolicyRun,
  type PolicySubject,
  subjectOf,
} from './evaluate-policy.js';
import type { Binding, Policy, PolicyCompiler } from './policy.js';
import type { PolicyExpression, Values } from './policy-environment.js';
import { ConfigurationProblem, paramResource, paramsFor } from './policy-params.js';
import { PolicySource } from './policy-source.js';
import { type Denial, denied, maxMessageLength, reportAudits, type Verdict } from './policy-verdicts.js';

type Spec = admissionregistrationv1.ValidatingAdmissionPolicySpec;

interface ValidatingPolicy extends Policy {
  readonly validations: readonly CompiledValidation[];
  readonly audits: readonly { readonly key: string; readonly value: PolicyExpression }[];
}

interface CompiledValidation {
  readonly expression: PolicyExpression;
  readonly message: string | undefined;
  readonly messageExpression: PolicyExpression | undefined;
  readonly reason: string | undefined;
}

/** Holds requests to ValidatingAdmissionPolicies that are bound. */
export function validatingPolicies(deps: PolicyDependencies): AdmissionPlugin {
  const kinds = {
    policies: refs.validatingAdmissionPolicies,
    bindings: refs.validatingAdmissionPolicyBindings,
  };
  const source = new PolicySource(deps.objects, kinds, complete);
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: () => true,
    concerns: (attributes) => source.current.for(attributes).length > 0,
    async validate(attributes) {
      const denials: Denial[] = [];
      for (const candidate of source.current.for(attributes))
        if (await isAbout(deps, candidate, attributes)) denials.push(...(await askPolicy(deps, candidate, attributes)));
      const [first] = denials;
      if (first) throw denied(attributes, first);
    },
  };
}

function complete(policy: Policy, spec: object, { expressions }: PolicyCompiler): ValidatingPolicy {
  const { validations = [], auditAnnotations = [] } = spec as Spec;
  return {
    ...policy,
    validations: validations.map(({ expression, message, messageExpression, reason }) => ({
      expression: expressions.compile(expression),
      message,
      messageExpression: messageExpression ? expressions.compile(messageExpression) : undefined,
      reason,
    })),
    audits: auditAnnotations.map(({ key, valueExpression }) => ({ key, value: expressions.compile(valueExpression) })),
  };
}

async function askPolicy(
  deps: PolicyDependencies,
  candidate: Candidate<ValidatingPolicy>,
  attributes: AdmissionAttributes,
): Promise<readonly Denial[]> {
  const { item: policy } = candidate;
  const bound: Binding[] = [];
  for (const binding of policy.bindings) if (await isBound(deps, binding, attributes)) bound.push(binding);
  if (bound.length === 0) return [];
  const subject = await subjectOf(deps, candidate, attributes);
  try {
    const params = paramResource(deps.params, policy);
    const denials: Denial[] = [];
    for (const binding of bound) denials.push(...(await askBinding(deps, { policy, binding, params, subject })));
    return denials;
  } catch (error) {
    if (!(error instanceof ConfigurationProblem)) throw error;
    return policy.ignoresFailure ? [] : [{ policy: policy.name, binding: undefined, message: error.message }];
  }
}

interface Question {
  readonly policy: ValidatingPolicy;
  readonly binding: Binding;
  readonly params: ReturnType<typeof paramResource>;
  readonly subject: PolicySubject;
}

async function askBinding(deps: PolicyDependencies, question: Question): Promise<readonly Denial[]> {
  const { policy, binding, subject } = question;
  const verdicts: Verdict[] = [];
  try {
    for (const params of await paramsFor(question.params, binding, subject.attributes))
      verdicts.push(
        ...(await evaluatePolicy(deps, policy, { ...subject, params }, (values, run) =>
          verdictsOf(policy, values, { ...run, attributes: subject.attributes }),
        )),
      );
  } catch (error) {
    if (!(error instanceof ConfigurationProblem)) throw error;
    verdicts.push({ kind: 'error', message: error.message });
  }
  const failed = verdicts.filter(({ kind }) => kind === 'refused' || !policy.ignoresFailure);
  return act(question, failed);
}

/** What the actions of a binding make of what a policy found. */
function act({ policy, binding, subject }: Question, verdicts: readonly Verdict[]): readonly Denial[] {
  const { attributes } = subject;
  const denials: Denial[] = [];
  for (const { message, reason } of verdicts.map((verdict) => ({ reason: undefined, ...verdict }))) {
    if (binding.actions.has('Deny')) denials.push({ policy: policy.name, binding: binding.name, message, reason });
    if (binding.actions.has('Warn'))
      attributes.warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
      );
  }
  if (binding.actions.has('Audit')) reportAudits(attributes, { policy: policy.name, binding, verdicts });
  return denials;
}

interface Evaluation extends PolicyRun {
  readonly attributes: AdmissionAttributes;
}

/** Everything that a policy has against a request. */
function verdictsOf(policy: ValidatingPolicy, values: Values, run: Evaluation): Verdict[] {
  if (!policy.conditions.isEmpty) {
    const met = policy.conditions.evaluate(values);
    if (met.kind === 'differs') return [];
    if (met.kind === 'error') return [{ kind: 'error', message: met.message }];
  }
  try {
    const verdicts = policy.validations.flatMap((validation) => verdictOf(validation, values, run));
    return [...verdicts, ...auditsOf(policy, values, run)];
  } catch (error) {
    if (CelError.is(error)) return [{ kind: 'error', message: error.message }];
    throw error;
  }
}

function verdictOf(validation: CompiledValidation, values: Values, run: PolicyRun): Verdict[] {
  const { expression, reason } = validation;
  const { value, error } = expression.run(values, run.budget);
  if (error) return [{ kind: 'error', message: expression.failureText(error) }];
  if (value === true) return [];
  return [{ kind: 'refused', message: messageOf(validation, run), reason }];
}

/** A message that fails, is empty, too long or has several lines is not used. */
function messageOf(
  { expression, message, messageExpression }: CompiledValidation,
  { budget, forMessages }: PolicyRun,
): string {
  const { value } = messageExpression?.run(forMessages, budget) ?? {};
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '' && text.length <= maxMessageLength && !text.includes('\n')) return text;
  return message || `failed expression: ${expression.source.trim()}`;
}

function auditsOf(policy: ValidatingPolicy, values: Values, { budget, attributes }: Evaluation): Verdict[] {
  return policy.audits.flatMap(({ key, value: expression }): Verdict[] => {
    const { value, error } = expression.run(values, budget);
    if (error) return [{ kind: 'error', message: expression.failureText(error) }];
    if (typeof value === 'string' && value !== '') attributes.annotate?.(`${policy.name}/${key}`, value);
    return [];
  });
}
