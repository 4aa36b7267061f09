import {
  type CelEnvironment,
  CelError,
  CelOptional,
  type CelProgram,
  type CelValue,
  duplicateField,
  EvaluationFailure,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  omittedValue,
  requiredField,
} from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';
import type { Correlation } from './correlation.js';
import { type SchemaCelType, schemaCelType } from './schema-cel-type.js';
import { resolveFieldPath } from './schema-field-path.js';
import { ruleEnvironment } from './schema-rules.validation.js';

type Rule = NonNullable<JSONSchemaProps['x-kubernetes-validations']>[number];

/** Cost limit of all rules together for one object. */
const objectBudget = 10_000_000;
const longestMessage = 5 * 1024;

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

const messageOutOfBudget =
  'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';

function messageTooExpensive({ messageExpression = '' }: Rule): string {
  const which = JSON.stringify(messageExpression);
  return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${which}`;
}

/** A level of the schema with its rules and those below it; levels without any are left out. */
interface Level {
  readonly json: JSONSchemaProps;
  /** Compiled when there is a value for the first time. */
  readonly rules: () => readonly CompiledRule[];
  readonly type: SchemaCelType | undefined;
  readonly fields: ReadonlyMap<string, Level>;
  /** Of the items of a list or the values of a map. */
  readonly each: Level | undefined;
}

interface CompiledRule {
  readonly rule: Rule;
  readonly program: CelProgram | CelError;
  readonly message: CelProgram | undefined;
  readonly usesOldSelf: boolean;
  /** Of its error, below its value. */
  readonly fieldPath: string;
}

/** The results of the rules for an object. */
export interface RuleResult {
  readonly errors: FieldError[];
  /** Rules that unchanged values violate: an update need not repair unchanged fields. */
  readonly warnings: FieldError[];
}

/** The rules in CEL that a schema has, at whatever depth. */
export class ExpressionRules {
  readonly #root: Level | undefined;

  /** `isResource`: its values have the fields that every object has. */
  constructor(json: JSONSchemaProps, isResource = true) {
    this.#root = levelOf(json, isResource);
  }

  get isEmpty(): boolean {
    return this.#root === undefined;
  }

  validate(values: Correlation, path = FieldPath.of()): RuleResult {
    const check = new Check();
    if (this.#root) check.level(this.#root, values, path);
    return check;
  }
}

function levelOf(json: JSONSchemaProps, isRoot: boolean): Level | undefined {
  const fields = new Map<string, Level>();
  for (const [name, property] of Object.entries(json.properties ?? {})) {
    const level = levelOf(property, property['x-kubernetes-embedded-resource'] === true);
    if (level) fields.set(name, level);
  }
  const each = eachOf(json);
  const rules = json['x-kubernetes-validations'] ?? [];
  if (rules.length === 0 && fields.size === 0 && !each) return undefined;
  const type = rules.length > 0 ? schemaCelType(json, isRoot) : undefined;
  let compiled: readonly CompiledRule[] | undefined;
  const compile = () => (compiled ??= type ? compileRules(json, rules, type) : []);
  return { json, type, rules: compile, fields, each };
}

function eachOf({ items, additionalProperties }: JSONSchemaProps): Level | undefined {
  const below = items && !Array.isArray(items) ? items : additionalProperties;
  return isRecord(below) ? levelOf(below, below['x-kubernetes-embedded-resource'] === true) : undefined;
}

function compileRules(json: JSONSchemaProps, rules: readonly Rule[], type: SchemaCelType): CompiledRule[] {
  const plain = ruleEnvironment(type, false);
  const optional = rules.some(({ optionalOldSelf }) => optionalOldSelf) ? ruleEnvironment(type, true) : plain;
  return rules.map((rule) => {
    const environment = rule.optionalOldSelf ? optional : plain;
    const program = compile(rule.rule, environment);
    const message = rule.messageExpression ? compile(rule.messageExpression, environment) : undefined;
    return {
      rule,
      program,
      message: CelError.is(message) ? undefined : message,
      usesOldSelf: !CelError.is(program) && program.uses('oldSelf'),
      fieldPath: normalPath(rule, json),
    };
  });
}

function normalPath({ fieldPath = '' }: Rule, json: JSONSchemaProps): string {
  const resolved = resolveFieldPath(fieldPath, json);
  return typeof resolved === 'string' ? '' : resolved.path;
}

function compile(expression: string, environment: CelEnvironment): CelProgram | CelError {
  try {
    return environment.compile(expression);
  } catch (error) {
    if (CelError.is(error)) return error;
    throw error;
  }
}

/** One pass over an object, within the budget of all its rules. */
class Check implements RuleResult {
  readonly errors: FieldError[] = [];
  readonly warnings: FieldError[] = [];
  #budget = objectBudget;

  level(level: Level, values: Correlation, path: FieldPath): void {
    if (values.value === undefined || values.value === null || this.#budget < 0) return;
    this.#rules(level, values, path);
    for (const [name, below] of level.fields) {
      const value = isRecord(values.value) ? ownValue(values.value, name) : undefined;
      if (value !== undefined) this.level(below, values.field(name), path.child(name));
    }
    if (level.each) this.#each(level, level.each, { values, path });
  }

  #each(
    { json }: Level,
    each: Level,
    { values, path }: { readonly values: Correlation; readonly path: FieldPath },
  ): void {
    const { value } = values;
    if (Array.isArray(value)) {
      for (const index of value.keys()) this.level(each, values.item(index, json), path.index(index));
    } else if (isRecord(value)) {
      for (const name of Object.keys(value)) {
        if (!Object.hasOwn(json.properties ?? {}, name)) this.level(each, values.field(name), path.key(name));
      }
    }
  }

  #rules({ type, rules, json }: Level, values: Correlation, path: FieldPath): void {
    if (!type) return;
    const self = read(type, values.value);
    const old = values.old === undefined ? undefined : read(type, values.old);
    const { value, isUnchanged } = values;
    const place: Place = { path, type: json.type ?? 'object', value, self, old, isUnchanged };
    for (const compiled of rules()) {
      if (this.#budget < 0) return;
      const isTransition = compiled.usesOldSelf && !compiled.rule.optionalOldSelf;
      if (!isTransition || old !== undefined) this.#rule(compiled, place);
    }
  }

  #rule(compiled: CompiledRule, place: Place): void {
    const { program, rule } = compiled;
    if (CelError.is(program)) {
      this.#fail(place, `rule compile error: ${program.message}`);
      return;
    }
    const variables = variablesOf(compiled, place);
    const outcome = program.run(variables);
    this.#budget -= outcome.cost;
    if (this.#budget < 0) this.#fail(place, outOfBudget);
    else if (outcome.error) this.#failedRun(outcome.error, rule, place);
    else if (outcome.value !== true) this.#broken(compiled, place, variables);
  }

  #broken(compiled: CompiledRule, place: Place, variables: Variables): void {
    const { text, problem } = this.#message(compiled, variables);
    const found = problem
      ? invalidField(pathOf(compiled, place), place.type, problem)
      : errorFor(compiled, place, text);
    (place.isUnchanged() && !compiled.usesOldSelf ? this.warnings : this.errors).push(found);
  }

  #fail({ path, type }: Place, problem: string): void {
    this.errors.push(invalidField(nameOf(path), type, problem));
  }

  #failedRun({ kind, message }: CelError, rule: Rule, place: Place): void {
    const shown = rule.message?.trim() || rule.rule.trim();
    if (kind === 'cost') {
      this.#fail(
        place,
        `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`,
      );
      this.#budget = -1;
    } else if (message.startsWith('no such overload')) {
      const why = 'call arguments did not match a supported operator, function or macro signature';
      this.#fail(place, `'${message}': ${why} for rule: ${shown}`);
    } else this.#fail(place, `${message} evaluating rule: ${shown}`);
  }

  /** The result of the message expression, unless it fails or cannot be shown. Without a budget for it, all ends. */
  #message(
    { rule, message }: CompiledRule,
    variables: Variables,
  ): { readonly text: string; readonly problem?: string } {
    const outcome = message?.run(variables);
    if (outcome) this.#budget -= outcome.cost;
    const problem =
      this.#budget < 0 ? messageOutOfBudget : outcome?.error?.kind === 'cost' ? messageTooExpensive(rule) : undefined;
    if (problem) this.#budget = -1;
    const text = typeof outcome?.value === 'string' ? outcome.value.trim() : '';
    const isShown = text !== '' && !text.includes('\n') && text.length <= longestMessage;
    const shown = isShown ? text : rule.message?.trim() || `failed rule: ${rule.rule.trim()}`;
    return { text: shown, ...(problem && { problem }) };
  }
}

type Variables = Parameters<CelProgram['run']>[0];

/** A value that is not of its type fails in the rules that use it. */
function read({ fromJson }: SchemaCelType, json: unknown): CelValue | EvaluationFailure {
  try {
    return fromJson(json);
  } catch (error) {
    if (error instanceof EvaluationFailure) return error;
    throw error;
  }
}

interface Place {
  readonly path: FieldPath;
  readonly type: string;
  /** In JSON; part of the message unless it is a list or an object. */
  readonly value: unknown;
  readonly self: CelValue | EvaluationFailure;
  readonly old: CelValue | EvaluationFailure | undefined;
  readonly isUnchanged: () => boolean;
}

function variablesOf({ rule }: CompiledRule, { self, old }: Place): Variables {
  if (rule.optionalOldSelf) return { self, oldSelf: old instanceof EvaluationFailure ? old : new CelOptional(old) };
  return old === undefined ? { self } : { self, oldSelf: old };
}

/** The object itself has no field to name. */
function nameOf(path: FieldPath): string {
  return String(path) || '<nil>';
}

function pathOf({ fieldPath }: CompiledRule, { path }: Place): string {
  return fieldPath === '' ? nameOf(path) : [String(path), fieldPath].filter((part) => part !== '').join('.');
}

/** A rule sets the reason of its error, and may set a field path below its value. Duplicates have no message. */
function errorFor(compiled: CompiledRule, place: Place, problem: string): FieldError {
  const { rule } = compiled;
  const { value } = place;
  const shown = typeof value === 'object' ? omittedValue : value;
  const at = pathOf(compiled, place);
  switch (rule.reason) {
    case 'FieldValueRequired':
      return requiredField(at, problem);
    case 'FieldValueForbidden':
      return forbiddenField(at, problem);
    case 'FieldValueDuplicate':
      return duplicateField(at, shown);
    default:
      return invalidField(at, shown, problem);
  }
}
