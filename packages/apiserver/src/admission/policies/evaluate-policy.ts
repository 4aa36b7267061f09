import type { KubeObject } from '@coracle/apimachinery';
import { andThen, type MaybePromise } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes } from '../admission.js';
import { objectsIn, requestFields } from '../expressions/admission-request.js';
import type { EvaluateExpressions } from '../expressions/evaluate-expressions.js';
import type { Candidate } from '../matching/candidates.js';
import { matchesName, type Rule } from '../matching/match-rules.js';
import { matchesNamespace, matchesObject, namespaceOf, type Selectors } from '../matching/match-selectors.js';
import { matchVersion } from '../matching/match-version.js';
import type { Binding, Policy } from './policy.js';
import { Budget, celValue, LazyVariables, type Values } from './policy-environment.js';
import type { ParamSource } from './policy-params.js';

export interface PolicyDependencies {
  readonly objects: ObjectReader;
  readonly params: ParamSource;
  readonly evaluate: EvaluateExpressions;
}

/** Whether a policy matches a request, by names and labels. */
export function isAbout(
  { objects }: PolicyDependencies,
  { item, match }: Candidate<Policy>,
  attributes: AdmissionAttributes,
): MaybePromise<boolean> {
  if (!isNamed(match.rules, match.excluded, attributes.name)) return false;
  return isSelected(item.selectors, attributes, objects);
}

/** Whether a binding of such a policy matches the request. */
export function isBound(
  { objects }: PolicyDependencies,
  { constraints, selectors }: Binding,
  attributes: AdmissionAttributes,
): MaybePromise<boolean> {
  if (constraints) {
    const match = matchVersion(constraints, attributes);
    if (!match || !isNamed(match.rules, match.excluded, attributes.name)) return false;
  }
  return isSelected(selectors, attributes, objects);
}

function isNamed(rules: readonly Rule[], excluded: readonly Rule[], name: string): boolean {
  return rules.some((rule) => matchesName(rule, name)) && !excluded.some((rule) => matchesName(rule, name));
}

function isSelected(
  selectors: Selectors,
  attributes: AdmissionAttributes,
  objects: ObjectReader,
): MaybePromise<boolean> {
  return matchesObject(selectors, attributes) && matchesNamespace(selectors, attributes, objects);
}

/** The variables of expressions, except the parameters. */
export interface PolicySubject {
  readonly attributes: AdmissionAttributes;
  readonly object: KubeObject | undefined;
  readonly values: Values;
}

export async function subjectOf(
  { objects }: PolicyDependencies,
  { match }: Candidate<Policy>,
  attributes: AdmissionAttributes,
): Promise<PolicySubject> {
  const { object, oldObject } = await objectsIn(attributes, match.version);
  const { kind } = attributes;
  const isNamespace = kind.group === '' && kind.kind === 'Namespace';
  const namespace = isNamespace ? undefined : await namespaceOf(attributes, objects);
  return {
    attributes,
    object,
    values: {
      object: celValue(object),
      oldObject: celValue(oldObject),
      request: celValue(requestFields(attributes, match.version)),
      namespaceObject: celValue(namespace),
    },
  };
}

/** Evaluates a policy with one parameter: `compute` receives the variables of expressions. */
export function evaluatePolicy<T>(
  { evaluate }: PolicyDependencies,
  { variables }: Policy,
  { attributes, values, params }: PolicySubject & { readonly params: KubeObject | null },
  compute: (values: Values, run: PolicyRun) => T,
): MaybePromise<T> {
  return andThen(
    evaluate(attributes, (authorizer) => {
      const budget = new Budget();
      const scope = { ...values, params: celValue(params) };
      const forMessages = withVariables(variables, scope, budget);
      return compute(withVariables(variables, { ...scope, ...(authorizer as Values) }, budget), {
        budget,
        forMessages,
      });
    }),
    (outcome) => outcome,
  );
}

/** Settings of an evaluation besides the variables. */
export interface PolicyRun {
  readonly budget: Budget;
  /** Variables of message expressions, which have no authorizer. */
  readonly forMessages: Values;
}

function withVariables(variables: Policy['variables'], values: Values, budget: Budget): Values {
  const all: Values = { ...values, variables: new LazyVariables(variables, () => all, budget) };
  return all;
}
