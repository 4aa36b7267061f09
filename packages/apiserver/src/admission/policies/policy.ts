import type { admissionregistrationv1 } from '@coracle/api';
import { createExpressionEnvironment, type ExpressionEnvironment } from '../expressions/expression-environment.js';
import { MatchConditions } from '../expressions/match-conditions.js';
import { type Selectors, selectorsOf } from '../matching/match-selectors.js';
import type { Constraints } from '../matching/match-version.js';
import { PolicyEnvironment, type PolicyExpression } from './policy-environment.js';

type MatchResources = admissionregistrationv1.MatchResources;
export type ParamKind = admissionregistrationv1.ParamKind;
export type ParamRef = admissionregistrationv1.ParamRef;

/** The compiled parts that mutating and validating policies share. */
export interface Policy {
  readonly name: string;
  readonly ignoresFailure: boolean;
  readonly constraints: Constraints;
  readonly selectors: Selectors;
  readonly conditions: MatchConditions;
  readonly variables: ReadonlyMap<string, PolicyExpression>;
  readonly paramKind: ParamKind | undefined;
  readonly bindings: readonly Binding[];
}

export interface Binding {
  readonly name: string;
  readonly paramRef: ParamRef | undefined;
  /** Match constraints of the binding, in addition to those of the policy; everything by default. */
  readonly constraints: Constraints | undefined;
  readonly selectors: Selectors;
  /** `Deny`, `Warn`, `Audit`. */
  readonly actions: ReadonlySet<string>;
}

interface PolicySpec {
  readonly failurePolicy?: string;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly admissionregistrationv1.MatchCondition[];
  readonly variables?: readonly admissionregistrationv1.Variable[];
  readonly paramKind?: ParamKind;
}

/** Compiles the expressions of policies. */
export interface PolicyCompiler {
  readonly conditions: ExpressionEnvironment;
  readonly expressions: PolicyEnvironment;
}

export function createPolicyCompiler(): PolicyCompiler {
  return { conditions: createExpressionEnvironment(), expressions: new PolicyEnvironment() };
}

export function policyOf(
  name: string,
  spec: PolicySpec,
  { bindings, compiler }: { readonly bindings: readonly Binding[]; readonly compiler: PolicyCompiler },
): Policy {
  const { matchConstraints = {}, matchConditions = [], variables = [] } = spec;
  return {
    name,
    ignoresFailure: spec.failurePolicy === 'Ignore',
    constraints: constraintsOf(matchConstraints),
    selectors: selectorsOf(matchConstraints),
    conditions: new MatchConditions(matchConditions, compiler.conditions),
    variables: new Map(variables.map((one) => [one.name, compiler.expressions.compile(one.expression)])),
    paramKind: spec.paramKind,
    bindings,
  };
}

export function bindingOf(
  name: string,
  spec: {
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
    readonly validationActions?: readonly string[];
  },
): Binding {
  const { matchResources = {}, validationActions = [] } = spec;
  return {
    name,
    paramRef: spec.paramRef,
    constraints: matchResources.resourceRules?.length ? constraintsOf(matchResources) : undefined,
    selectors: selectorsOf(matchResources),
    actions: new Set(validationActions),
  };
}

function constraintsOf({
  resourceRules = [],
  excludeResourceRules,
  matchPolicy = 'Equivalent',
}: MatchResources): Constraints {
  return { rules: resourceRules, excluded: excludeResourceRules, matchPolicy };
}
