import { type FieldError, formatFieldError, invalidField } from './field-error.js';
import { FieldPath } from './field-path.js';
import { isLabelValue, isQualifiedName } from './names.js';
import { aggregate, badRequest } from './status-error.js';

export type Labels = Readonly<Record<string, string>>;

/** `metav1.LabelSelector` as on the wire. */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition on labels. `gt` and `lt` compare whole numbers. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted; one value for all operators but `in` and `notin`, none for `exists` and `!`. */
  readonly values: readonly string[];
}

/** Conditions on labels, all of which must hold. Immutable. */
export class LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  readonly #matchesNothing: boolean;

  private constructor(requirements: readonly LabelRequirement[], matchesNothing: boolean) {
    this.requirements = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.#matchesNothing = matchesNothing;
  }

  static of(requirements: readonly LabelRequirement[]): LabelSelector {
    return new LabelSelector(requirements, false);
  }

  static readonly everything: LabelSelector = new LabelSelector([], false);
  static readonly nothing: LabelSelector = new LabelSelector([], true);

  /** Matches objects that have all of these labels. */
  static fromLabels(labels: Labels | undefined): LabelSelector {
    const entries = Object.entries(labels ?? {});
    return LabelSelector.of(entries.map(([key, value]) => ({ key, operator: '=', values: [value] })));
  }

  /** An absent selector object matches nothing, an empty one everything. */
  static fromObject(selector: LabelSelectorObject | undefined): LabelSelector {
    if (!selector) return LabelSelector.nothing;
    const fromLabels = LabelSelector.fromLabels(selector.matchLabels).requirements;
    const fromExpressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
      const entry = operatorByName.get(operator);
      if (!entry) throw badRequest(`${JSON.stringify(operator)} is not a valid label selector operator`);
      return { key, operator: entry, values: [...values].sort() };
    });
    return LabelSelector.of([...fromLabels, ...fromExpressions]);
  }

  /** True when every object matches. */
  get isEmpty(): boolean {
    return this.requirements.length === 0 && !this.#matchesNothing;
  }

  matches(labels: Labels | undefined): boolean {
    if (this.#matchesNothing) return false;
    for (const requirement of this.requirements) if (!holds(requirement, labels)) return false;
    return true;
  }

  /** The text form, which `parseLabelSelector` reads back. */
  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}

const operatorByName: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function holds({ key, operator, values }: LabelRequirement, labels: Labels | undefined): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default:
      return value !== undefined && comparesTo(value, operator, values[0] ?? '');
  }
}

const wholeNumber = /^[+-]?\d{1,19}$/;

function comparesTo(value: string, operator: 'gt' | 'lt', bound: string): boolean {
  if (!wholeNumber.test(value) || !wholeNumber.test(bound)) return false;
  return operator === 'gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0] ?? ''}`;
  }
}

const valuesPath = FieldPath.of('values');

/** The error in a requirement, as `parseLabelSelector` reports it; `undefined` if it is valid. */
export function checkRequirement({ key, operator, values }: LabelRequirement): string | undefined {
  const errors: FieldError[] = isQualifiedName(key).map((problem) => invalidField('key', key, problem));
  const problem = problemWithValues(operator, values);
  if (problem) errors.push(invalidField(valuesPath, values, problem));
  for (const [i, value] of values.entries()) {
    const found = isLabelValue(value);
    if (found.length > 0) errors.push(invalidField(valuesPath.index(i).key(key), value, found.join('; ')));
  }
  return errors.length === 0 ? undefined : aggregate(errors.map(formatFieldError));
}

function problemWithValues(operator: LabelOperator, values: readonly string[]): string | undefined {
  if (operator === 'in' || operator === 'notin')
    return values.length === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
  if (operator === 'exists' || operator === '!')
    return values.length > 0 ? 'values set must be empty for exists and does not exist' : undefined;
  if (values.length !== 1) return 'exact-match compatibility requires one single value';
  if ((operator === 'gt' || operator === 'lt') && !wholeNumber.test(values[0] as string))
    return "for 'Gt', 'Lt' operators, the value must be an integer";
  return undefined;
}
