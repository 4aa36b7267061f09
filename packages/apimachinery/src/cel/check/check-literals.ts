import { textToDuration, textToTimestamp } from '../library/conversions.js';
import { missingArgument, parseFormat, typeProblem } from '../library/format-text.js';
import { regex } from '../library/strings.js';
import { type CallExpression, childrenOf, type Expression } from '../syntax/expression.js';
import type { CelIssue } from '../syntax/source-text.js';
import { type CelType, dynType, isOptional } from '../values/cel-type.js';
import { EvaluationFailure } from '../values/evaluation-failure.js';
import { stringClause } from '../values/format-value.js';
import { lessSpecific } from './unify.js';

/** Errors in the constants of an expression whose types are correct: it could never be evaluated. */
export function checkLiterals(expression: Expression): CelIssue[] {
  const issues: CelIssue[] = [];
  visit(expression, false, issues);
  return issues;
}

/** `inFormat`: inside of a call of `format`, where lists and maps may mix types. */
function visit(expression: Expression, inFormat: boolean, issues: CelIssue[]): void {
  if (expression.kind === 'call') issues.push(...checkCall(expression));
  else if (!inFormat) issues.push(...checkMixed(expression));
  const inside = inFormat || (expression.kind === 'call' && expression.function === 'format');
  for (const child of childrenOf(expression)) visit(child, inside, issues);
}

function checkCall(call: CallExpression): CelIssue[] {
  switch (call.function) {
    case 'duration':
      return checkArgument(call, call.args[0], (value) => void (typeof value === 'string' && textToDuration(value)));
    case 'timestamp':
      return checkArgument(call, call.args[0], checkTimestamp);
    case 'matches':
      return checkArgument(call, call.args.at(-1), (value) => void (typeof value === 'string' && regex(value)));
    case 'format':
      return call.target ? checkFormat(call) : [];
    default:
      return [];
  }
}

const latestSecond = 253_402_300_799n;

function checkTimestamp(value: unknown): void {
  if (typeof value === 'string') textToTimestamp(value);
  if (typeof value === 'bigint' && (value > latestSecond || value < -62_135_596_800n)) throw new EvaluationFailure('');
}

function checkArgument(call: CallExpression, arg: Expression | undefined, read: (value: unknown) => void): CelIssue[] {
  if (arg?.kind !== 'constant') return [];
  try {
    read(arg.value);
    return [];
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return [{ offset: arg.offset, message: `invalid ${call.function} argument` }];
  }
}

/** The items of a list, and the keys and values of a map, must have one type. */
function checkMixed(expression: Expression): CelIssue[] {
  if (expression.kind === 'list') {
    const optional = (i: number) => expression.optional.has(i);
    return firstMismatch(expression.items.map((item, i) => ({ expression: item, optional: optional(i) })));
  }
  if (expression.kind !== 'map') return [];
  const keys = firstMismatch(expression.entries.map(({ key }) => ({ expression: key, optional: false })));
  const values = firstMismatch(expression.entries.map(({ value, optional }) => ({ expression: value, optional })));
  return [...keys, ...values].slice(0, 1);
}

interface Item {
  readonly expression: Expression;
  readonly optional: boolean;
}

function firstMismatch(items: readonly Item[]): CelIssue[] {
  const typeOf = ({ expression, optional }: Item) => {
    const { type = dynType } = expression;
    return optional && isOptional(type) ? (type.parameters[0] ?? dynType) : type;
  };
  const [first, ...others] = items;
  if (!first) return [];
  const firstType = typeOf(first);
  const bad = others.find((item) => !equivalent(firstType, typeOf(item)));
  if (!bad) return [];
  return [{ offset: bad.expression.offset, message: `expected type '${firstType}' but found '${typeOf(bad)}'` }];
}

function equivalent(a: CelType, b: CelType): boolean {
  return lessSpecific(a, b) && lessSpecific(b, a);
}

/** A format that is a constant, with its arguments in place, is checked clause by clause. */
function checkFormat({ target, args, offset }: CallExpression): CelIssue[] {
  const [list] = args;
  if (target?.kind !== 'constant' || typeof target.value !== 'string' || list?.kind !== 'list') return [];
  let count = 0;
  for (const clause of parseFormat(target.value)) {
    if (clause.kind === 'text') continue;
    const item = list.items[count];
    if (!item) return [{ offset, message: missingArgument(count) }];
    if (clause.kind === 'problem') return [{ offset, message: clause.message }];
    const issue = clause.verb === 's' ? checkText(item) : checkVerb(clause.verb, item);
    if (issue) return [issue];
    count++;
  }
  if (count === list.items.length) return [];
  const message = `too many arguments supplied to string.format (expected ${count}, got ${list.items.length})`;
  return [{ offset, message }];
}

const textKinds: ReadonlySet<string> = new Set(
  'bool int uint double string bytes timestamp duration list map type null dyn error parameter wrapper'.split(' '),
);

/** Also inside list and map literals. */
function checkText(item: Expression): CelIssue | undefined {
  const { type = dynType } = item;
  if (!textKinds.has(type.kind)) return { offset: item.offset, message: stringClause(type.name) };
  const inner = item.kind === 'list' || item.kind === 'map' ? childrenOf(item) : [];
  return inner.map(checkText).find((issue) => issue !== undefined);
}

const verbKinds: Readonly<Record<string, string>> = {
  d: 'int uint',
  f: 'double string',
  e: 'double string',
  b: 'int uint bool',
  o: 'int uint',
  x: 'int uint string bytes',
  X: 'int uint string bytes',
};

function checkVerb(verb: string, { type = dynType, offset }: Expression): CelIssue | undefined {
  const { kind } = type.kind === 'wrapper' ? (type.parameters[0] ?? type) : type;
  if (type.isDynamic || verbKinds[verb]?.split(' ').includes(kind)) return undefined;
  return { offset, message: typeProblem(verb, type.name) };
}
