import { formatDouble, formatNumber } from '../go-float.js';
import { quote } from './quote.js';

/** A field that an object has not. */
export const noValue: unique symbol = Symbol('no value');

/** A value as Go's `%v` prints it. Whole numbers of the language are bigints, numbers of objects are floats. */
export function formatValue(value: unknown): string {
  if (value === noValue) return '<no value>';
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return `[${value.map(formatValue).join(' ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([key, item]) => `${key}:${formatValue(item)}`).join(' ')}]`;
  }
  return String(value);
}

export function typeName(value: unknown): string {
  if (value === null || value === undefined || value === noValue) return '<nil>';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** Values printed next to each other, with a space between two values that are not strings. */
export function formatPrint(values: readonly unknown[]): string {
  let text = '';
  values.forEach((value, i) => {
    const previous = values[i - 1];
    if (i > 0 && typeof value !== 'string' && typeof previous !== 'string') text += ' ';
    text += formatValue(value);
  });
  return text;
}

/** Go's `printf`. */
export function formatPrintf(format: string, values: readonly unknown[]): string {
  let next = 0;
  let text = '';
  const pattern = /%([-+# 0]*)(\*|\d+)?(?:\.(\*|\d*))?([a-zA-Z%])|%/g;
  let at = 0;
  for (let match = pattern.exec(format); match; match = pattern.exec(format)) {
    text += format.slice(at, match.index);
    at = pattern.lastIndex;
    const [whole, flags = '', width, precision, verb] = match;
    if (verb === undefined) {
      text += '%!(NOVERB)';
      continue;
    }
    if (verb === '%') {
      text += '%';
      continue;
    }
    const wide = width === '*' ? Number(values[next++]) : width === undefined ? undefined : Number(width);
    const precise =
      precision === '*' ? Number(values[next++]) : precision === undefined ? undefined : Number(precision || '0');
    if (next >= values.length) {
      text += `%!${verb}(MISSING)`;
      continue;
    }
    void whole;
    text += padded(formatVerb(verb, values[next++], { flags, precision: precise }), { flags, width: wide });
  }
  text += format.slice(at);
  if (next < values.length) {
    const extra = values.slice(next).map((value) => `${typeName(value)}=${formatValue(value)}`);
    text += `%!(EXTRA ${extra.join(', ')})`;
  }
  return text;
}

interface VerbOptions {
  readonly flags: string;
  readonly precision: number | undefined;
}

function formatVerb(verb: string, value: unknown, { flags, precision }: VerbOptions): string {
  const bad = () => `%!${verb}(${typeName(value)}=${formatValue(value)})`;
  switch (verb) {
    case 'v':
      return typeof value === 'string' && flags.includes('#') ? quote(value) : formatValue(value);
    case 's':
      return typeof value === 'string' ? cut(value, precision) : isComposite(value) ? formatValue(value) : bad();
    case 'q':
      if (typeof value === 'string') return quote(cut(value, precision));
      return typeof value === 'bigint' ? `'${String.fromCodePoint(Number(value))}'` : bad();
    case 'd':
      return typeof value === 'bigint' ? signed(String(value), flags) : bad();
    case 'x':
    case 'X':
      return hex(value, verb) ?? bad();
    case 'o':
      return typeof value === 'bigint' ? value.toString(8) : bad();
    case 'b':
      return typeof value === 'bigint' ? value.toString(2) : bad();
    case 'c':
      return typeof value === 'bigint' ? String.fromCodePoint(Number(value)) : bad();
    case 'U':
      return typeof value === 'bigint' ? `U+${value.toString(16).toUpperCase().padStart(4, '0')}` : bad();
    case 't':
      return typeof value === 'boolean' ? String(value) : bad();
    case 'T':
      return typeName(value);
    case 'f':
    case 'F':
      return typeof value === 'number' ? signed(value.toFixed(precision ?? 6), flags) : bad();
    case 'e':
    case 'E':
      return typeof value === 'number' ? signed(exponential(value, precision ?? 6, verb), flags) : bad();
    case 'g':
    case 'G':
      return typeof value === 'number' ? signed(formatDouble(value), flags) : bad();
    default:
      return bad();
  }
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function cut(text: string, precision: number | undefined): string {
  return precision === undefined ? text : [...text].slice(0, precision).join('');
}

function signed(text: string, flags: string): string {
  if (text.startsWith('-')) return text;
  if (flags.includes('+')) return `+${text}`;
  return flags.includes(' ') ? ` ${text}` : text;
}

function exponential(value: number, precision: number, verb: string): string {
  const text = value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
  return verb === 'E' ? text.toUpperCase() : text;
}

function hex(value: unknown, verb: string): string | undefined {
  const text =
    typeof value === 'bigint'
      ? value.toString(16)
      : typeof value === 'string'
        ? [...new TextEncoder().encode(value)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
        : undefined;
  return verb === 'X' ? text?.toUpperCase() : text;
}

function padded(text: string, { flags, width }: { flags: string; width: number | undefined }): string {
  if (width === undefined) return text;
  if (flags.includes('-')) return text.padEnd(width);
  if (flags.includes('0') && /^[+-]?\d/.test(text)) {
    const sign = /^[+-]/.exec(text)?.[0] ?? '';
    return sign + text.slice(sign.length).padStart(width - sign.length, '0');
  }
  return text.padStart(width);
}
