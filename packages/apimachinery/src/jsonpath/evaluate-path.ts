import { writeJson } from '../write-json.js';
import { type FilterOperator, JsonPathError, type Path, type Step } from './path.js';

export interface Evaluation {
  /** The value of `$`. */
  readonly root: unknown;
  readonly allowMissing: boolean;
  readonly indexesMustExist: boolean;
}

/** The values that a path leads to. Values that are not there are left out or are an error, as the evaluation says. */
export function evaluatePath(path: Path, values: readonly unknown[], evaluation: Evaluation): unknown[] {
  let current = [...values];
  let isLenient = evaluation.allowMissing;
  for (const step of path) {
    current = takeStep(step, current, { ...evaluation, allowMissing: isLenient });
    // Of all that is below an object only some has the field that follows.
    if (step.kind === 'recursive') isLenient = true;
  }
  return current;
}

function takeStep(step: Step, values: readonly unknown[], evaluation: Evaluation): unknown[] {
  switch (step.kind) {
    case 'field':
      return fieldsOf(values, step.name, evaluation);
    case 'index':
      return values.flatMap((value) => elementOf(value, step.index, evaluation));
    case 'slice':
      return values.flatMap((value) => sliceOf(value, step));
    case 'wildcard':
      return values.flatMap(childrenOf);
    case 'recursive':
      return values.flatMap(descendantsOf);
    case 'root':
      return [evaluation.root];
    case 'union':
      return step.paths.flatMap((path) => evaluatePath(path, values, evaluation));
    case 'filter':
      return values.flatMap((value) => filtered(value, step, evaluation));
    case 'constant':
      return [step.value];
    default:
      return step satisfies never;
  }
}

function fieldsOf(values: readonly unknown[], name: string, { allowMissing }: Evaluation): unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    if (isObject(value) && Object.hasOwn(value, name)) found.push(value[name]);
  }
  if (found.length === 0 && values.length > 0 && !allowMissing) throw new JsonPathError(`${name} is not found`);
  return found;
}

function elementOf(value: unknown, index: number, { indexesMustExist }: Evaluation): unknown[] {
  if (value === undefined || value === null) return [];
  const list = listOf(value);
  const at = index < 0 ? index + list.length : index;
  if (at >= 0 && at < list.length) return [list[at]];
  if (!indexesMustExist) return [];
  throw new JsonPathError(`array index out of bounds: index ${at}, length ${list.length}`);
}

function sliceOf(value: unknown, { start, end, step = 1 }: Extract<Step, { kind: 'slice' }>): unknown[] {
  if (value === undefined || value === null) return [];
  if (step <= 0) throw new JsonPathError('step must be > 0');
  return listOf(value)
    .slice(start, end)
    .filter((_, index) => index % step === 0);
}

function filtered(value: unknown, step: Extract<Step, { kind: 'filter' }>, evaluation: Evaluation): unknown[] {
  if (value === undefined || value === null) return [];
  const lenient = { ...evaluation, allowMissing: true, indexesMustExist: false };
  return listOf(value).filter((element) => {
    const left = evaluatePath(step.left, [element], lenient);
    if (!step.operator) return left.length > 0;
    const right = evaluatePath(step.right, [element], lenient);
    if (left.length > 1 || right.length > 1) throw new JsonPathError('can only compare one element at a time');
    return left.length === 1 && right.length === 1 && compare(left[0], step.operator, right[0]);
  });
}

function compare(left: unknown, operator: FilterOperator, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (!isNumber(left) || !isNumber(right)) return compareText(left, operator, right);
  return isInOrder(left, operator, right);
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function compareText(left: unknown, operator: FilterOperator, right: unknown): boolean {
  if (typeof left !== 'string' || typeof right !== 'string')
    throw new JsonPathError('incompatible types for comparison');
  return isInOrder(left, operator, right);
}

function isInOrder<T extends string | number | bigint>(left: T, operator: FilterOperator, other: T): boolean {
  if (operator === '<') return left < other;
  if (operator === '<=') return left <= other;
  return operator === '>' ? left > other : left >= other;
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

/** The value and all that is in it, each before its parts. */
function descendantsOf(value: unknown): unknown[] {
  return [value, ...childrenOf(value).flatMap(descendantsOf)];
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new JsonPathError(`${writeJson(value)} is not array or slice`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
