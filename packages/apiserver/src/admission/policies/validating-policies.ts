import { type admissionregistrationv1, refs } from '@coracle/api';
import { byteLength, CelError } from '@coracle/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import type { Candidate } from '../matching/candidates.js';
import { AuditValues } from './audit-values.js';
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
import { Budget, type PolicyExpression, type Values } from './policy-environment.js';
import { ConfigurationProblem, paramResource, paramsFor } from './policy-params.js';
import { PolicySource } from './policy-source.js';
import { type Denial, denied, maxMessageLength, reportAudit, type Verdict } from './policy-verdicts.js';

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

/** Validates requests with the bound ValidatingAdmissionPolicies. */
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
  const problem = (error: unknown, binding?: Binding): readonly Denial[] => {
    if (!(error instanceof ConfigurationProblem)) throw error;
    return policy.ignoresFailure ? [] : [{ policy: policy.name, binding: binding?.name, message: error.message }];
  };
  if (policy.bindings.length === 0) return [];
  const audits = new AuditValues();
  const denials: Denial[] = [];
  try {
    const params = paramResource(deps.params, policy);
    let subject: PolicySubject | undefined;
    for (const binding of policy.bindings) {
      if (!(await isBound(deps, binding, attributes))) continue;
      subject ??= await subjectOf(deps, candidate, attributes);
      const question = { policy, binding, params, subject, audits };
      denials.push(...(await askBinding(deps, question).catch((error) => problem(error, binding))));
    }
  } catch (error) {
    return problem(error);
  }
  audits.publish(policy.name, attributes);
  return denials;
}

interface Question {
  readonly policy: ValidatingPolicy;
  readonly binding: Binding;
  readonly params: ReturnType<typeof paramResource>;
  readonly subject: PolicySubject;
  readonly audits: AuditValues;
}

async function askBinding(deps: PolicyDependencies, question: Question): Promise<readonly Denial[]> {
  const { policy, binding, subject } = question;
  const found: Findings[] = [];
  for (const params of await paramsFor(question.params, binding, subject.attributes))
    found.push(
      await evaluatePolicy(deps, policy, { ...subject, params }, (values, run) => findingsOf(policy, values, run)),
    );
  return found.flatMap((findings) => act(question, findings));
}

/** Applies the actions of a binding to the failures of a policy. Failed audit annotations are handled separately. */
function act({ policy, binding, subject: { attributes }, audits }: Question, findings: Findings): readonly Denial[] {
  const by = { policy: policy.name, binding: binding.name };
  const denials: Denial[] = [];
  for (const verdict of findings.verdicts) {
    if (verdict.kind === 'error' && policy.ignoresFailure) continue;
    const { message, reason } = { reason: undefined, ...verdict };
    if (binding.actions.has('Deny')) denials.push({ ...by, message, reason });
    if (binding.actions.has('Audit')) reportAudit(attributes, { policy: policy.name, binding, verdict });
    if (binding.actions.has('Warn'))
      attributes.warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
      );
  }
  for (const { key, value, error } of findings.audits) {
    if (error === undefined) audits.add(key, value);
    else if (!policy.ignoresFailure) denials.push({ ...by, message: error });
  }
  return denials;
}

/** The result of a policy with one parameter. */
interface Findings {
  readonly verdicts: readonly Verdict[];
  readonly audits: readonly AuditFinding[];
}

type AuditFinding =
  | { readonly key: string; readonly value: string; readonly error?: undefined }
  | { readonly key: string; readonly value?: undefined; readonly error: string };

function failedAtAll(message: string): Findings {
  return { verdicts: [{ kind: 'error', message, index: 0 }], audits: [] };
}

/** All failures of a policy for a request. */
function findingsOf(policy: ValidatingPolicy, values: Values, run: PolicyRun): Findings {
  if (!policy.conditions.isEmpty) {
    const met = policy.conditions.evaluate(values);
    if (met.kind === 'differs') return { verdicts: [], audits: [] };
    if (met.kind === 'error') return failedAtAll(met.message);
  }
  try {
    const verdicts = policy.validations.flatMap((validation, index) =>
      verdictOf({ ...validation, index }, values, run),
    );
    return { verdicts, audits: auditsOf(policy, values) };
  } catch (error) {
    if (CelError.is(error)) return failedAtAll(error.message);
    throw error;
  }
}

function verdictOf(validation: CompiledValidation & { index: number }, values: Values, run: PolicyRun): Verdict[] {
  const { expression, reason, index } = validation;
  const { value, error } = expression.run(values, run.budget);
  if (error) return [{ kind: 'error', message: expression.failureText(error), index }];
  if (value === true) return [];
  return [{ kind: 'refused', message: messageOf(validation, run), reason, index }];
}

/** A message that fails to evaluate, is empty, too long or has several lines is not used. */
function messageOf(
  { expression, message = '', messageExpression }: CompiledValidation,
  { budget, forMessages }: PolicyRun,
): string {
  const { value } = messageExpression?.run(forMessages, budget) ?? {};
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '' && byteLength(text) <= maxMessageLength && !text.includes('\n')) return text;
  return message.trim() || `failed expression: ${expression.source.trim()}`;
}

/** Audit annotations have a cost budget of their own. */
function auditsOf(policy: ValidatingPolicy, values: Values): AuditFinding[] {
  const budget = new Budget();
  return policy.audits.flatMap(({ key, value: expression }): AuditFinding[] => {
    const { value, error } = expression.run(values, budget);
    if (error) return [{ key, error: expression.failureText(error) }];
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' ? [] : [{ key, value: text }];
  });
}
