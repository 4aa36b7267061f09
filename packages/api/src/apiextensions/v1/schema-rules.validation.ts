import {
  CelEnvironment,
  CelError,
  type CelProgram,
  type CostRange,
  type FieldError,
  type FieldPath,
  invalidField,
  maxRequestBytes,
  optionalType,
  requiredField,
} from '@coracle/apimachinery';
import type { JSONSchemaProps, ValidationRule } from '../../generated/types/apiextensions-v1.js';
import { ofExpression } from '../../validation/cel-expression.js';
import { checkSupported } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { multiplyCosts } from './rule-costs.js';
import { type SchemaCelType, schemaCelType } from './schema-cel-type.js';
import { resolveFieldPath } from './schema-field-path.js';
import type { NodePlace } from './schema-parts.js';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const lineBreak = /[\n\r]/;

/** Validates the fields of a rule besides its expressions. */
export function checkRuleWords(path: FieldPath, rule: ValidationRule, schema: JSONSchemaProps): FieldError[] {
  const { messageExpression = '', reason, fieldPath = '' } = rule;
  const errors = checkRuleAndMessage(path, rule);
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(requiredField(path.child('messageExpression'), detail));
  }
  if (reason !== undefined) errors.push(...checkSupported(path.child('reason'), reason, reasons));
  if (fieldPath === '') return errors;
  const refuse = (detail: string) => errors.push(invalidField(path.child('fieldPath'), fieldPath, detail));
  if (fieldPath.trim() === '') refuse('must be non-empty if specified');
  if (lineBreak.test(fieldPath)) refuse('must not contain line breaks');
  if (typeof resolveFieldPath(fieldPath, schema) === 'string') refuse('must be a valid path');
  return errors;
}

function checkRuleAndMessage(path: FieldPath, { rule, message = '' }: ValidationRule): FieldError[] {
  const field = path.child('message');
  const text = message.trim();
  if (rule.trim() === '') return [requiredField(path.child('rule'), 'rule is not specified')];
  if (message !== '' && text === '') return [invalidField(field, message, 'must be non-empty if specified')];
  if (lineBreak.test(text)) return [invalidField(field, message, 'must not contain line breaks')];
  if (!lineBreak.test(rule.trim()) || text !== '') return [];
  return [requiredField(field, 'message must be specified if rule contains line breaks')];
}

/** The environment of the rules at one place of a schema. */
export function ruleEnvironment({ type }: SchemaCelType, optionalOldSelf: boolean): CelEnvironment {
  return new CelEnvironment({ variables: { self: type, oldSelf: optionalOldSelf ? optionalType(type) : type } });
}

/** The largest request holds so many values of a type. */
function mostValues({ minBytes }: SchemaCelType): number {
  return Math.floor(maxRequestBytes / (minBytes + 1));
}

export function compileRules(path: FieldPath, schema: JSONSchemaProps, place: NodePlace): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const isResource = place.isRoot === true || schema['x-kubernetes-embedded-resource'] === true;
  const type = schemaCelType(schema, isResource);
  if (!type) return [];
  const environments = new Map<boolean, CelEnvironment>();
  return rules.flatMap((rule, index) => {
    const isOptional = rule.optionalOldSelf === true;
    const environment = environments.get(isOptional) ?? ruleEnvironment(type, isOptional);
    environments.set(isOptional, environment);
    return compileRule(path.index(index), rule, { type, environment, place });
  });
}

interface Scope {
  readonly type: SchemaCelType;
  readonly environment: CelEnvironment;
  readonly place: NodePlace;
}

function compileRule(path: FieldPath, rule: ValidationRule, scope: Scope): FieldError[] {
  const shown = goValue('apiextensions-v1/ValidationRule', rule);
  const program = compile(rule.rule, scope.environment, ruleWords);
  if (typeof program === 'string') {
    return [
      ...ofExpression(rule.rule, [invalidField(path.child('rule'), shown, program)]),
      ...checkOldSelf(path, rule, { place: scope.place, isUsed: false }),
    ];
  }
  return [
    ...checkRuleCost(path.child('rule'), program, scope),
    ...checkMessage(path.child('messageExpression'), { rule, shown }, scope),
    ...checkOldSelf(path, rule, { place: scope.place, isUsed: program.uses('oldSelf') }),
  ];
}

function checkRuleCost(path: FieldPath, program: CelProgram, { type, place }: Scope): FieldError[] {
  const cost = multiplyCosts(estimate(program, type).max, place.cardinality ?? mostValues(type));
  return place.costs?.observe(path, cost, 'estimated rule cost') ?? [];
}

function checkMessage(
  path: FieldPath,
  { rule, shown }: { readonly rule: ValidationRule; readonly shown: unknown },
  { type, environment, place }: Scope,
): FieldError[] {
  const { messageExpression } = rule;
  if (!messageExpression) return [];
  const program = compile(messageExpression, environment, messageWords);
  if (typeof program === 'string') return ofExpression(messageExpression, [invalidField(path, shown, program)]);
  return place.costs?.observe(path, estimate(program, type).max, 'estimated messageExpression cost') ?? [];
}

/** The estimated cost of a rule for one value. */
function estimate(program: CelProgram, type: SchemaCelType): CostRange {
  return program.estimateCost((path) => {
    let at: SchemaCelType | undefined = type;
    for (const step of path.slice(1)) {
      if (step === '@keys') return at?.elements ? { min: 0, max: 0 } : undefined;
      at = step === '@items' || step === '@values' ? at?.elements : at?.field?.(step)?.of;
      if (!at) return undefined;
    }
    return at && { min: 0, max: at.maxElements };
  });
}

function checkOldSelf(
  path: FieldPath,
  { rule, optionalOldSelf }: ValidationRule,
  { place, isUsed }: { readonly place: NodePlace; readonly isUsed: boolean },
): FieldError[] {
  if (!isUsed) {
    if (optionalOldSelf === undefined) return [];
    const detail = 'may not be set if oldSelf is not used in rule';
    return [invalidField(path.child('optionalOldSelf'), optionalOldSelf, detail)];
  }
  if (!place.uncorrelatable) return [];
  const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
  return [invalidField(path.child('rule'), rule, detail)];
}

interface Words {
  readonly type: string;
  readonly failed: string;
  readonly notInstantiated: string;
  readonly wrongType: string;
}

const ruleWords: Words = {
  type: 'bool',
  failed: 'compilation failed: ',
  notInstantiated: 'program instantiation failed: ',
  wrongType: 'cel expression must evaluate to a bool',
};

const messageWords: Words = {
  type: 'string',
  failed: 'messageExpression compilation failed: ',
  notInstantiated: 'messageExpression instantiation failed: ',
  wrongType: 'messageExpression must evaluate to a string',
};

/** The program of an expression, or its error. */
function compile(expression: string, environment: CelEnvironment, words: Words): CelProgram | string {
  try {
    const program = environment.compile(expression);
    return program.type.text === words.type ? program : words.wrongType;
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return `${error.kind === 'program' ? words.notInstantiated : words.failed}${error.message}`;
  }
}
