import type { CelList } from '../values/cel-value.js';
import { CelUint, type CelValue, typeOfValue } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import { fixedPoint } from '../values/fixed-point.js';
import { formatValue } from '../values/format-value.js';

/** One clause of a format: literal text, a verb with its precision, or an error. */
export type FormatClause =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'verb'; readonly verb: string; readonly precision: number | undefined }
  | { readonly kind: 'problem'; readonly message: string };

const clause = /%(?:(%)|(\.\d*)?([\s\S]?))/g;
const verbs: ReadonlySet<string> = new Set('sdfebxXo');

/** The clauses of a format such as `%s has %.2f`. They end with the first that is wrong. */
export function parseFormat(format: string): readonly FormatClause[] {
  const clauses: FormatClause[] = [];
  let at = 0;
  for (const match of format.matchAll(clause)) {
    const [whole, percent, precision, verb = ''] = match;
    clauses.push({ kind: 'text', text: format.slice(at, match.index) + (percent ?? '') });
    at = match.index + whole.length;
    if (percent !== undefined) continue;
    const message = verbProblem(precision, verb);
    if (message !== undefined) return [...clauses, { kind: 'problem', message }];
    clauses.push({ kind: 'verb', verb, precision: precision === undefined ? undefined : Number(precision.slice(1)) });
  }
  clauses.push({ kind: 'text', text: format.slice(at) });
  return clauses;
}

function verbProblem(precision: string | undefined, verb: string): string | undefined {
  if (precision === undefined && verb === '') return 'unexpected end of string';
  const what = 'could not parse formatting clause';
  const inPrecision = `${what}: error while parsing precision`;
  if (verb === '') return `${inPrecision}: could not find end of precision specifier`;
  if (precision === '.')
    return `${inPrecision}: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`;
  return verbs.has(verb) ? undefined : `${what}: unrecognized formatting clause "${firstByte(verb)}"`;
}

/** Formats are read byte by byte. */
function firstByte(text: string): string {
  return String.fromCharCode(new TextEncoder().encode(text)[0] ?? 0);
}

/** The error if a format needs more arguments than there are. */
export function missingArgument(index: number): string {
  return `index ${index} out of range`;
}

export function formatText(format: string, args: CelList): string {
  let next = 0;
  return parseFormat(format)
    .map((one) => {
      if (one.kind === 'text') return one.text;
      if (next >= args.size) return fail(missingArgument(next));
      if (one.kind === 'problem') return fail(one.message);
      return formatVerb(one.verb, args.at(next++), one.precision);
    })
    .join('');
}

function formatVerb(verb: string, value: CelValue, precision: number | undefined): string {
  switch (verb) {
    case 's':
      return formatValue(value);
    case 'd':
      return String(integer(verb, value));
    case 'f':
      return formatFixed(double(verb, value), precision ?? 6);
    case 'e':
      return formatScientific(double(verb, value));
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integer(verb, value).toString(2);
    case 'o':
      return integer(verb, value).toString(8);
    case 'X':
      return formatHex(value).toUpperCase();
    default:
      return formatHex(value);
  }
}

const verbWords: Readonly<Record<string, string>> = {
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
};

/** The error for an argument whose type does not match its verb. */
export function typeProblem(verb: string, type: string): string {
  return `error during formatting: ${verbWords[verb.toLowerCase()] ?? ''}, was given ${type}`;
}

function integer(verb: string, value: CelValue): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof CelUint) return value.value;
  return fail(typeProblem(verb, typeOfValue(value).name));
}

const namedDoubles: ReadonlyMap<CelValue, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** A fraction. Those that have no literal may be given by name. */
function double(verb: string, value: CelValue): number {
  if (typeof value === 'number') return value;
  return namedDoubles.get(value) ?? fail(typeProblem(verb, typeOfValue(value).name));
}

function infinity(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '∞' : '-∞';
}

/** With commas between thousands: numbers are written for English readers. */
function formatFixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return infinity(value);
  const digits = Math.min(precision, 100);
  const [whole = '', fraction] = fixedPoint(value, digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `9.007199×10¹⁵`. */
function formatScientific(value: number): string {
  if (!Number.isFinite(value)) return infinity(value);
  const [mantissa = '', exponent = '0'] = value.toExponential(6).split('e');
  const power = Number(exponent);
  const digits = String(Math.abs(power)).padStart(2, '0');
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)]).join('');
  return `${mantissa}×10${power < 0 ? '⁻' : ''}${raised}`;
}

function formatHex(value: CelValue): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return integer('x', value).toString(16);
}
