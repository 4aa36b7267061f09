import { deepEqual } from '@coracle/base';
import { type Environment, EvaluationError } from '@marcbachmann/cel-js';
import { fromCel } from '../cel-values.js';

type Comparable = bigint | number | string | boolean | { valueOf(): bigint | number };

/** Functions of lists, and sets made of them. */
export function registerLists(environment: Environment): void {
  class Sets {}
  environment
    .registerFunction('list.isSorted(): bool', isSorted)
    .registerFunction('list.sum(): dyn', sum)
    .registerFunction('list.min(): dyn', (list: Comparable[]) => extreme(list, 'min', (a, b) => a < b))
    .registerFunction('list.max(): dyn', (list: Comparable[]) => extreme(list, 'max', (a, b) => a > b))
    .registerFunction('list.indexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.findIndex((one) => same(one, item))),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.findLastIndex((one) => same(one, item))),
    )
    .registerType('SetsNamespace', Sets)
    .registerConstant('sets', 'SetsNamespace', new Sets())
    .registerFunction('SetsNamespace.contains(list, list): bool', (_: Sets, a: unknown[], b: unknown[]) =>
      includesAll(a, b),
    )
    .registerFunction(
      'SetsNamespace.equivalent(list, list): bool',
      (_: Sets, a: unknown[], b: unknown[]) => includesAll(a, b) && includesAll(b, a),
    )
    .registerFunction('SetsNamespace.intersects(list, list): bool', (_: Sets, a: unknown[], b: unknown[]) =>
      b.some((item) => includes(a, item)),
    );
}

function isSorted(list: readonly Comparable[]): boolean {
  return list.every((item, i) => i === 0 || !(item < (list[i - 1] as Comparable)));
}

function sum(list: readonly unknown[]): unknown {
  const [first] = list;
  if (first === undefined) return 0n;
  if (typeof first === 'bigint') return list.reduce<bigint>((total, item) => total + (item as bigint), 0n);
  if (typeof first === 'number') return list.reduce<number>((total, item) => total + (item as number), 0);
  const add = (first as { addDuration?: unknown }).addDuration;
  if (typeof add === 'function') return list.slice(1).reduce((total, item) => add.call(total, item), first);
  throw new EvaluationError('sum called on a list of values that cannot be added');
}

function extreme(
  list: readonly Comparable[],
  name: string,
  better: (a: Comparable, b: Comparable) => boolean,
): Comparable {
  const [first] = list;
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
  return list.reduce((best, item) => (better(item, best) ? item : best), first);
}

function includesAll(list: readonly unknown[], items: readonly unknown[]): boolean {
  return items.every((item) => includes(list, item));
}

function includes(list: readonly unknown[], item: unknown): boolean {
  return list.some((one) => same(one, item));
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return deepEqual(fromCel(a), fromCel(b));
}
