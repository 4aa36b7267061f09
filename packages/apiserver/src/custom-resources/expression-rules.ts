import { keyOf } from '@coracle/api';
import {
  CelEnvironment,
  CelError,
  type CelProgram,
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  type Schema,
  toCel,
} from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { JsonSchema } from './structural-schema.js';

type Rule = NonNullable<JsonSchema['x-kubernetes-validations']>[number];

/** The value that a rule is about, before and after. */
interface Values {
  readonly self: unknown;
  readonly old: unknown;
}

/** A level of the schema with its rules and those below it; levels without any are left out. */
interface Level {
  readonly json: JsonSchema;
  readonly schema: Schema | undefined;
  readonly rules: readonly CompiledRule[];
  readonly fields: ReadonlyMap<string, Level>;
  /** Of the items of a list or the values of a map. */
  readonly each: Level | undefined;
}

interface CompiledRule {
  readonly rule: Rule;
  readonly program: CelProgram | CelError;
  readonly message: CelProgram | undefined;
  /** It compares with the value before, and is asked only when there is one. */
  readonly isTransition: boolean;
}

/** The rules in CEL that a schema has, at whatever depth. Compiled when they are first needed. */
export class ExpressionRules {
  readonly #json: JsonSchema;
  readonly #schema: Schema;
  #root: Level | undefined;
  #compiled = false;

  constructor(json: JsonSchema, schema: Schema) {
    this.#json = json;
    this.#schema = schema;
  }

  validate(self: unknown, old: unknown): FieldError[] {
    if (!this.#compiled) {
      this.#root = compileLevel(this.#json, this.#schema, new Environments());
      this.#compiled = true;
    }
    return this.#root ? check(this.#root, { self, old }, FieldPath.of()) : [];
  }
}

/** Made only for resources that have rules: an environment is costly. */
class Environments {
  #environment: CelEnvironment | undefined;

  compile(expression: string): CelProgram | CelError {
    this.#environment ??= new CelEnvironment({ variables: { self: 'dyn', oldSelf: 'dyn' } });
    try {
      return this.#environment.compile(expression);
    } catch (error) {
      if (CelError.is(error)) return error;
      throw error;
    }
  }
}

function compileLevel(json: JsonSchema, schema: Schema | undefined, environments: Environments): Level | undefined {
  const rules = (json['x-kubernetes-validations'] ?? []).map((rule) => compileRule(rule, environments));
  const fields = new Map<string, Level>();
  for (const [name, property] of Object.entries(json.properties ?? {})) {
    const below = schema?.type === 'object' ? schema.fields.get(name)?.schema : undefined;
    const level = compileLevel(property, below, environments);
    if (level) fields.set(name, level);
  }
  const each = compileEach(json, schema, environments);
  return rules.length > 0 || fields.size > 0 || each ? { json, schema, rules, fields, each } : undefined;
}

function compileEach(json: JsonSchema, schema: Schema | undefined, environments: Environments): Level | undefined {
  const { items, additionalProperties } = json;
  if (items && !Array.isArray(items))
    return compileLevel(items, schema?.type === 'list' ? schema.items : undefined, environments);
  if (typeof additionalProperties !== 'object') return undefined;
  return compileLevel(additionalProperties, schema?.type === 'map' ? schema.values : undefined, environments);
}

function compileRule(rule: Rule, environments: Environments): CompiledRule {
  const message = rule.messageExpression ? environments.compile(rule.messageExpression) : undefined;
  return {
    rule,
    program: environments.compile(rule.rule),
    message: CelError.is(message) ? undefined : message,
    isTransition: /\boldSelf\b/.test(rule.rule),
  };
}

function check(level: Level, values: Values, path: FieldPath): FieldError[] {
  if (values.self === undefined || values.self === null) return [];
  const errors = checkRules(level, values, path);
  for (const [name, below] of level.fields) {
    const fields = { self: fieldOf(values.self, name), old: fieldOf(values.old, name) };
    errors.push(...check(below, fields, path.child(name)));
  }
  return level.each ? [...errors, ...checkEach(level, level.each, { values, path })] : errors;
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? ownValue(value, name) : undefined;
}

function checkEach(
  { json }: Level,
  each: Level,
  { values, path }: { readonly values: Values; readonly path: FieldPath },
): FieldError[] {
  const { self, old } = values;
  if (Array.isArray(self))
    return self.flatMap((item, index) =>
      check(each, { self: item, old: counterpart(item, old, json) }, path.index(index)),
    );
  if (!isRecord(self)) return [];
  return Object.entries(self)
    .filter(([name]) => !Object.hasOwn(json.properties ?? {}, name))
    .flatMap(([name, item]) => check(each, { self: item, old: fieldOf(old, name) }, path.key(name)));
}

/** The item that an item was before. Only lists that are maps tell. */
function counterpart(item: unknown, old: unknown, json: JsonSchema): unknown {
  if (!Array.isArray(old) || json['x-kubernetes-list-type'] !== 'map') return undefined;
  const key = JSON.stringify(keyOf(item, json));
  return old.find((before) => JSON.stringify(keyOf(before, json)) === key);
}

function checkRules({ rules, schema, json }: Level, { self, old }: Values, path: FieldPath): FieldError[] {
  if (rules.length === 0) return [];
  const variables: Record<string, unknown> = { self: toCel(self, schema) };
  if (old !== undefined) variables['oldSelf'] = toCel(old, schema);
  const type = json.type ?? 'object';
  return rules.flatMap((compiled) => {
    if (compiled.isTransition && old === undefined) return [];
    const problem = problemOf(compiled, variables);
    return problem === undefined ? [] : [errorFor(compiled.rule, { path, type, problem })];
  });
}

function problemOf(
  { rule, program, message }: CompiledRule,
  variables: Readonly<Record<string, unknown>>,
): string | undefined {
  if (CelError.is(program)) return `rule compile error: ${program.message}`;
  try {
    if (program.evaluate(variables) === true) return undefined;
    const said = message?.evaluate(variables);
    return typeof said === 'string' && said.trim() !== '' ? said.trim() : (rule.message ?? `failed rule: ${rule.rule}`);
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return `${error.message} evaluating rule: ${rule.message ?? rule.rule}`;
  }
}

/** Rules say by themselves what kind of mistake it is, and may point below the value that they are about. */
function errorFor(
  { reason, fieldPath = '' }: Rule,
  { path, type, problem }: { readonly path: FieldPath; readonly type: string; readonly problem: string },
): FieldError {
  const at = `${path}${String(path) === '' ? fieldPath.replace(/^\./, '') : fieldPath}`;
  switch (reason) {
    case 'FieldValueRequired':
      return requiredField(at, problem);
    case 'FieldValueForbidden':
      return forbiddenField(at, problem);
    case 'FieldValueDuplicate':
      return duplicateField(at, type, problem);
    default:
      return invalidField(at, type, problem);
  }
}
