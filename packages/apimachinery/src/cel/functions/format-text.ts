import { EvaluationError } from '@marcbachmann/cel-js';

/** `"%s has %d".format(["web", 3])`, with the verbs s, d, f, e, b, o, x, X and %. */
export function formatText(pattern: string, values: readonly unknown[]): string {
  let next = 0;
  return pattern.replace(/%(?:(%)|(?:\.(\d+))?([a-zA-Z]))|%/g, (whole, percent, precision, verb) => {
    if (percent) return '%';
    const write = verbs[verb as string];
    if (!write)
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb ?? whole}"`);
    if (next >= values.length) throw new EvaluationError(`index ${next} out of range`);
    return write(values[next++], precision === undefined ? undefined : Number(precision));
  });
}

type Verb = (value: unknown, precision: number | undefined) => string;

const verbs: Readonly<Record<string, Verb>> = {
  s: (value) => text(value),
  d: (value) => String(integer(value)),
  f: (value, precision = 6) => number(value).toFixed(Math.min(precision, 100)),
  e: (value, precision = 6) =>
    number(value)
      .toExponential(Math.min(precision, 100))
      .replace(/e([+-])(\d)$/, 'e$10$2'),
  b: (value) => (typeof value === 'boolean' ? (value ? '1' : '0') : integer(value).toString(2)),
  o: (value) => integer(value).toString(8),
  x: (value) => hex(value),
  X: (value) => hex(value).toUpperCase(),
};

function hex(value: unknown): string {
  if (typeof value === 'string') return bytesToHex(new TextEncoder().encode(value));
  if (value instanceof Uint8Array) return bytesToHex(value);
  return integer(value).toString(16);
}

function bytesToHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function integer(value: unknown): bigint {
  const plain = typeof value === 'object' && value !== null ? value.valueOf() : value;
  if (typeof plain === 'bigint') return plain;
  throw new EvaluationError('error during formatting: integer clause can only be used on integers');
}

function number(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw new EvaluationError('error during formatting: fixed-point clause can only be used on numbers');
}

function text(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  if (value instanceof Map) return mapText([...value]);
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    return mapText(Object.entries(value));
  return String(value);
}

function mapText(entries: readonly [unknown, unknown][]): string {
  const written = entries.map(([key, value]) => [text(key), text(value)] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${written.map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}
