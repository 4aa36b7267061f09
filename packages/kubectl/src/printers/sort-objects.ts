import { JsonPath, parseQuantity } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { relaxedPath } from './custom-columns.js';

/** Reads a `--sort-by` path. */
export function parseSortPath(field: string): JsonPath {
  try {
    return new JsonPath(relaxedPath(field), { allowMissing: true, indexesMustExist: false });
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}

/** Whether the path leads to a value in any of the objects. */
export function findsAny(path: JsonPath, objects: readonly unknown[]): boolean {
  return objects.some((object) => path.find(object).length > 0);
}

/** Sorts by the value of a path; what has none comes first. */
export function sortBy<T>(items: readonly T[], path: JsonPath, objectOf: (item: T) => unknown): T[] {
  const keyed = items.map((item) => ({ item, key: path.find(objectOf(item))[0] }));
  return insertionSort(keyed, (a, b) => comesBefore(a.key, b.key)).map(({ item }) => item);
}

/** Absent values come first, then values of other types: the order of upstream's sort. */
function comesBefore(a: unknown, b: unknown): boolean {
  if (a === undefined || a === null) return true;
  if (b === undefined || b === null) return false;
  const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
  if (isNumber(a) && isNumber(b)) return (a as number) < (b as number);
  if (typeof a === 'boolean' && typeof b === 'boolean') return !a && b;
  const [left, right] = [String(a), String(b)];
  const quantities = [quantityOf(left), quantityOf(right)] as const;
  if (quantities[0] && quantities[1]) return quantities[0].compare(quantities[1]) < 0;
  return naturalLess(left, right);
}

function quantityOf(text: string): ReturnType<typeof parseQuantity> | undefined {
  if (!/^[+-]?\d/.test(text)) return undefined;
  try {
    return parseQuantity(text);
  } catch {
    return undefined;
  }
}

/** Digits in names count as numbers: `pod-2` before `pod-10`. */
function naturalLess(a: string, b: string): boolean {
  const parts = (text: string): string[] => text.match(/\d+|\D+/g) ?? [];
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x = '', y = ''] = [left[i], right[i]];
    if (x === y) continue;
    if (/^\d/.test(x) && /^\d/.test(y) && Number(x) !== Number(y)) return Number(x) < Number(y);
    return x < y;
  }
  return left.length < right.length;
}

/** Short lists are sorted by insertion, which decides the order of equals; long ones as the language does it. */
function insertionSort<T>(items: readonly T[], less: (a: T, b: T) => boolean): T[] {
  const sorted = [...items];
  if (sorted.length > 12) return sorted.sort((a, b) => (less(a, b) ? (less(b, a) ? 0 : -1) : less(b, a) ? 1 : 0));
  for (let i = 1; i < sorted.length; i++)
    for (let j = i; j > 0 && less(sorted[j] as T, sorted[j - 1] as T); j--)
      [sorted[j], sorted[j - 1]] = [sorted[j - 1] as T, sorted[j] as T];
  return sorted;
}
