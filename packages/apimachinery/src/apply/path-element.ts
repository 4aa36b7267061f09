import { readJson } from '../read-json.js';
import { writeJson } from '../write-json.js';
/**
 * One step of a field path, in its wire form: `f:name` a field or map key, `k:{"port":80}` an item of a list by its
 * keys, `v:"x"` a value of a set, `i:0` a position. `"."` stands for the path so far.
 */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

export function valueElement(value: unknown): string {
  return `v:${jsonText(value)}`;
}

/** `pairs` must be in the order of their names. */
function keyElement(pairs: readonly (readonly [name: string, value: unknown])[]): string {
  return `k:{${pairs.map(([name, value]) => keyText(name, value)).join(',')}}`;
}

/** One key of an item, as written between the braces. */
export function keyText(name: string, value: unknown): string {
  return `${jsonText(name)}:${jsonText(value)}`;
}

const plainText = /^[\w ./:-]*$/;

/** As `writeJson`, and faster for the names and numbers that keys are. */
function jsonText(value: unknown): string {
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`;
  return writeJson(value);
}

/** The canonical form of an element from a client; `undefined` if it is invalid. */
export function parseElement(text: string): string | undefined {
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'i:':
      return /^i:-?\d+$/.test(text) ? text : undefined;
    case 'v:':
      return withJson(text, valueElement);
    case 'k:':
      return withJson(text, (value) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? keyElement(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : undefined,
      );
    default:
      return undefined;
  }
}

function withJson(text: string, use: (value: unknown) => string | undefined): string | undefined {
  try {
    return use(readJson(text.slice(2)));
  } catch {
    return undefined;
  }
}

/** Longer lists are better left to the engine, which needs memory for it. */
const shortList = 32;

/** Sorts names in place, and returns them. */
export function sortedText(texts: string[]): string[] {
  return sortedBy(texts, compareText);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorts elements in place, and returns them. */
export function sortedElements(elements: string[]): string[] {
  return sortedBy(elements, compareElements);
}

function sortedBy(texts: string[], compare: (a: string, b: string) => number): string[] {
  if (texts.length > shortList) return texts.sort(compare);
  for (let i = 1; i < texts.length; i++) {
    const text = texts[i] as string;
    let place = i;
    for (; place > 0 && compare(texts[place - 1] as string, text) > 0; place--)
      texts[place] = texts[place - 1] as string;
    texts[place] = text;
  }
  return texts;
}

const rankByType: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 };

/** Fields by name, then items by their keys, values, positions. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0;
  const type = a.charCodeAt(0);
  if (type !== b.charCodeAt(0)) return rankOf(a) - rankOf(b);
  if (type === field || differsInText(a, b)) return a < b ? -1 : 1;
  const left = readJson(a.slice(2));
  const right = readJson(b.slice(2));
  return a.startsWith('k') ? compareKeys(left as Keys, right as Keys) : compareValues(left, right);
}

const field = 0x66;

function rankOf(element: string): number {
  return rankByType[element.charAt(0)] ?? 5;
}

/** Whether the first difference is between letters, so that the order of the JSON texts is that of the values. */
function differsInText(a: string, b: string): boolean {
  let i = 2;
  while (a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return isLetter(a.charCodeAt(i)) && isLetter(b.charCodeAt(i)) && a.charCodeAt(i - 1) !== backslash;
}

const backslash = 0x5c;

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

type Keys = Readonly<Record<string, unknown>>;

function compareKeys(a: Keys, b: Keys): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (const [i, [name, value]] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    const order = compareValues(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const rankByJsonType: Readonly<Record<string, number>> = { number: 0, bigint: 0, string: 1, boolean: 2, object: 3 };

function compareValues(a: unknown, b: unknown): number {
  const rank = (value: unknown) => rankByJsonType[typeof value] ?? 4;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return (a as string) < (b as string) ? -1 : (a as string) > (b as string) ? 1 : 0;
}

/** A path in readable form: `.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].hostPort`. */
export function formatPath(elements: readonly string[]): string {
  return elements.map(formatElement).join('');
}

export function formatElement(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${rest}]`;
  if (element.startsWith('i:')) return `[${rest}]`;
  const pairs = Object.entries(readJson(rest) as object);
  return `[${pairs.map(([name, value]) => `${name}=${writeJson(value)}`).join(',')}]`;
}
