import type { CelList } from '../values/cel-value.js';
import { CelUint, type CelValue, typeOfValue } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import { formatValue } from '../values/format-value.js';

/** One clause of a format: literal text, or a verb with its precision. */
export type FormatClause =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'verb'; readonly verb: string; readonly precision: number | undefined };

const clause = /%(?:(%)|(?:\.(\d+))?([sdfebxXo])|(?:\.(\d+))?([\s\S]?))/gu;

/** The clauses of a format such as `%s has %.2f`. What is wrong with it is the result as text. */
export function parseFormat(format: string): readonly FormatClause[] | string {
  const clauses: FormatClause[] = [];
  let at = 0;
  for (const match of format.matchAll(clause)) {
    const [whole, percent, precision, verb, , unknown] = match;
    clauses.push({ kind: 'text', text: format.slice(at, match.index) + (percent ?? '') });
    at = match.index + whole.length;
    if (verb !== undefined)
      clauses.push({ kind: 'verb', verb, precision: precision === undefined ? undefined : Number(precision) });
    else if (unknown === '') return 'unexpected end of string';
    else if (percent === undefined)
      return `could not parse formatting clause: unrecognized formatting clause "${unknown}"`;
  }
  clauses.push({ kind: 'text', text: format.slice(at) });
  return clauses;
}

export function formatText(format: string, args: CelList): string {
  const clauses = parseFormat(format);
  if (typeof clauses === 'string') return fail(clauses);
  let next = 0;
  return clauses
    .map((one) => {
      if (one.kind === 'text') return one.text;
      if (next >= args.size) return fail(`index ${next} out of range`);
      return formatVerb(one.verb, args.at(next++), one.precision);
    })
    .join('');
}

function formatVerb(verb: string, value: CelValue, precision: number | undefined): string {
  switch (verb) {
    case 's':
      return formatValue(value);
    case 'd':
      return typeof value === 'number' && !Number.isFinite(value)
        ? infinity(value)
        : String(integer(value, 'decimal', 'integers'));
    case 'f':
      return formatFixed(double(value, 'fixed-point'), precision ?? 6);
    case 'e':
      return formatScientific(double(value, 'scientific'));
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integer(value, 'binary', 'integers and bools').toString(2);
    case 'o':
      return integer(value, 'octal', 'integers').toString(8);
    case 'X':
      return formatHex(value).toUpperCase();
    default:
      return formatHex(value);
  }
}

export function clauseProblem(clauseName: string, kinds: string, type: string): string {
  return `error during formatting: ${clauseName} clause can only be used on ${kinds}, was given ${type}`;
}

function integer(value: CelValue, clauseName: string, kinds: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof CelUint) return value.value;
  return fail(clauseProblem(clauseName, kinds, typeOfValue(value).name));
}

function double(value: CelValue, clauseName: string): number {
  return typeof value === 'number' ? value : fail(clauseProblem(clauseName, 'doubles', typeOfValue(value).name));
}

function infinity(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

/** With commas between thousands: numbers are written for English readers. */
function formatFixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return infinity(value);
  const digits = Math.min(precision, 100);
  const [whole = '', fraction] = exactFixed(value, digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `toFixed` gives up beyond 10^21. */
function exactFixed(value: number, digits: number): string {
  if (Math.abs(value) < 1e21) return value.toFixed(digits);
  const whole = String(BigInt(value));
  return digits === 0 ? whole : `${whole}.${'0'.repeat(digits)}`;
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
  return integer(value, 'hex', 'integers, byte buffers, and strings').toString(16);
}
