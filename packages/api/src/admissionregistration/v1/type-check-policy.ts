import { type CelType, dynType, type GroupVersionKind } from '@coracle/apimachinery';
import type {
  ExpressionWarning,
  NamedRuleWithOperations,
  ValidatingAdmissionPolicy,
  Variable,
} from '../../generated/types/admissionregistration-v1.js';
import { type CelPlace, celProblem, celTypeOf } from '../../validation/cel-expression.js';
import { requestVariables } from './match-conditions.validation.js';

/** A kind with the type that its objects have in expressions. */
export interface TypedKind {
  readonly kind: GroupVersionKind;
  readonly type: CelType;
}

export interface NamedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** However much a policy matches, its expressions are checked against no more kinds than this. */
const mostKinds = 10;

/** The resources of a policy whose kinds are checked: those that its rules name without wildcards and subresources. */
export function resourcesToCheck({ spec }: ValidatingAdmissionPolicy): NamedResource[] {
  return (spec?.matchConstraints?.resourceRules ?? []).flatMap(resourcesOf);
}

function resourcesOf({ apiGroups = [], apiVersions = [], resources = [] }: NamedRuleWithOperations): NamedResource[] {
  const plain = (names: readonly string[], wildcards: RegExp) => names.filter((name) => !wildcards.test(name)).sort();
  return plain(apiGroups, /\*/).flatMap((group) =>
    plain(apiVersions, /\*/).flatMap((version) =>
      plain(resources, /[*/]/).map((resource) => ({ group, version, resource })),
    ),
  );
}

/** Each kind once, in order, and not too many. */
export function kindsToCheck(found: readonly GroupVersionKind[]): GroupVersionKind[] {
  const kinds = new Map(found.slice(0, mostKinds).map((kind) => [formatKind(kind), kind]));
  const order = ({ group, version, kind }: GroupVersionKind) => `${group}\0${version}\0${kind}`;
  return [...kinds.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/**
 * The type errors in the expressions of a policy, for the kinds that it matches. Kinds with unknown types are skipped;
 * without the type of its parameters, `params` cannot be used.
 */
export function typeCheckPolicy(
  { spec = {} }: ValidatingAdmissionPolicy,
  { kinds, params }: { readonly kinds: readonly TypedKind[]; readonly params: CelType | undefined },
): ExpressionWarning[] {
  const { validations = [], variables = [] } = spec;
  const places = kinds.map(({ kind, type }) => ({ kind, place: placeOf(variables, type, params) }));
  const check = (fieldRef: string, expression: string): ExpressionWarning[] => {
    const found = places.flatMap(({ kind, place }) => {
      const problem = celProblem(expression, place);
      return problem === undefined ? [] : [`${formatKind(kind)}: ${problem}\n`];
    });
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join('\n') }];
  };
  return validations.flatMap(({ expression, messageExpression }, index) => [
    ...check(`spec.validations[${index}].expression`, expression),
    ...(messageExpression ? check(`spec.validations[${index}].messageExpression`, messageExpression) : []),
  ]);
}

/** `apps/v1, Kind=Deployment`; `/v1, Kind=Pod` in the core group. */
function formatKind({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

function placeOf(variables: readonly Variable[], object: CelType, params: CelType | undefined): CelPlace {
  const names = [...requestVariables, 'variables', ...(params ? ['params'] : [])];
  const types = { object, oldObject: object, ...(params && { params }) };
  const variableTypes = new Map<string, CelType>();
  for (const { name, expression } of variables) {
    const place = { variables: names, types, variableTypes: new Map(variableTypes) };
    variableTypes.set(name, celTypeOf(expression, place) ?? dynType);
  }
  return { variables: names, types, variableTypes };
}
