import { formatPath } from './decode-path.js';
import { integerOf } from './int64.js';
import { type JsonLevel, visitJson } from './visit-json.js';

/** Full paths of the keys that occur twice in an object, at most `limit` of them. The text must be valid JSON. */
export function findDuplicates(text: string, limit: number): string[] {
  const found = new Set<string>();
  const onKey = (levels: readonly JsonLevel[], isRepeated: boolean) => {
    if (isRepeated) found.add(pathOf(levels));
    return found.size < limit;
  };
  visitJson(text, { onKey });
  return [...found];
}

/** The position of a key in a text. */
export interface KeyPosition {
  readonly first: number;
  /** Where the same object has it again, if it does. */
  readonly second?: number;
}

/** The positions of the keys with these full paths in a text that is valid JSON, counted in keys. */
export function keyPositions(text: string, paths: ReadonlySet<string>): Map<string, KeyPosition> {
  const found = new Map<string, KeyPosition>();
  let position = 0;
  const onKey = (levels: readonly JsonLevel[]) => {
    position++;
    const path = pathOf(levels);
    if (!paths.has(path)) return true;
    const before = found.get(path);
    if (!before) found.set(path, { first: position });
    else if (before.second === undefined) found.set(path, { ...before, second: position });
    return true;
  };
  visitJson(text, { onKey });
  return found;
}

/** A number with a fraction, an exponent or 19 digits, or something in a string that looks like one. */
const maybeDecimal = /[:[,]\s*-?(?:\d+[.eE]|\d{19})/;

/**
 * The text of numbers with a fraction or an exponent or beyond int64, by their full paths; `undefined` if there are
 * none. For a decoder of Go they are no integers, whatever their value. The text must be valid JSON.
 */
export function decimalLiterals(text: string): ReadonlyMap<string, string> | undefined {
  if (!maybeDecimal.test(text)) return undefined;
  const found = new Map<string, string>();
  const onNumber = (levels: readonly JsonLevel[], literal: string) => {
    const path = pathOf(levels);
    // Of a key that comes twice the last value counts.
    if (!isInteger(literal)) found.set(path, literal);
    else found.delete(path);
  };
  visitJson(text, { onNumber, onKey: () => true });
  return found.size > 0 ? found : undefined;
}

function isInteger(literal: string): boolean {
  if (literal.length < 16) return !/[.eE]/.test(literal);
  return /^-?\d+$/.test(literal) && typeof integerOf(literal) === 'bigint';
}

function pathOf(levels: readonly JsonLevel[]): string {
  return formatPath(levels.map(({ step }) => step));
}
