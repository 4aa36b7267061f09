import { parseDuration } from '@coracle/apimachinery';
import { CommandError } from './command-error.js';
import type { FlagSpec } from './flag-spec.js';

type Value = string | boolean | number | string[] | Map<string, string>;

/** The flags of one command line. */
export class FlagValues {
  readonly #specs: ReadonlyMap<string, FlagSpec>;
  readonly #values = new Map<string, Value>();
  readonly #changed = new Set<string>();

  constructor(specs: Iterable<FlagSpec>) {
    this.#specs = new Map([...specs].map((spec) => [spec.name, spec]));
  }

  has(name: string): boolean {
    return this.#specs.has(name);
  }

  /** Whether the command line has the flag. */
  changed(name: string): boolean {
    return this.#changed.has(name);
  }

  get changedNames(): readonly string[] {
    return [...this.#changed];
  }

  spec(name: string): FlagSpec | undefined {
    return this.#specs.get(name);
  }

  /** Sets a flag from its text. Fails with the messages of pflag. */
  set(name: string, text: string): void {
    const spec = this.#specs.get(name);
    if (!spec) throw new CommandError(`unknown flag: --${name}`);
    this.#values.set(name, this.#read(spec, text));
    this.#changed.add(name);
  }

  /** Sets a default from the user's preferences: the flag does not count as set. */
  setDefault(name: string, text: string): void {
    const spec = this.#specs.get(name);
    if (spec && !this.#changed.has(name)) this.#values.set(name, this.#read(spec, text));
  }

  string(name: string): string {
    const value = this.#get(name);
    return typeof value === 'string' ? value : String(value);
  }

  bool(name: string): boolean {
    return this.#get(name) === true;
  }

  /** Numbers, and durations in milliseconds. */
  number(name: string): number {
    const value = this.#get(name);
    return typeof value === 'number' ? value : 0;
  }

  strings(name: string): readonly string[] {
    const value = this.#get(name);
    return Array.isArray(value) ? value : [];
  }

  pairs(name: string): ReadonlyMap<string, string> {
    const value = this.#get(name);
    return value instanceof Map ? value : new Map();
  }

  #get(name: string): Value {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    const spec = this.#specs.get(name);
    if (!spec) throw new Error(`the command has no flag ${name}`);
    return defaultOf(spec);
  }

  #read(spec: FlagSpec, text: string): Value {
    try {
      return readValue(spec, text, this.#changed.has(spec.name) ? this.#values.get(spec.name) : undefined);
    } catch (error) {
      const shown = spec.shorthand ? `-${spec.shorthand}, --${spec.name}` : `--${spec.name}`;
      throw new CommandError(
        `invalid argument ${JSON.stringify(text)} for "${shown}" flag: ${(error as Error).message}`,
      );
    }
  }
}

function defaultOf(spec: FlagSpec): Value {
  if (spec.type === 'stringArray' || spec.type === 'stringSlice')
    return spec.defaultValue === '' ? [] : spec.defaultValue.split(',');
  if (spec.type === 'stringToString') return new Map();
  return readValue(spec, spec.defaultValue, undefined);
}

/** Parses the value of a flag; lists grow with each use of the flag. */
function readValue({ type }: FlagSpec, text: string, before: Value | undefined): Value {
  switch (type) {
    case 'string':
      return text;
    case 'bool':
      return readBool(text);
    case 'int':
    case 'int64':
      return readInteger(text, 64);
    case 'int32':
      return readInteger(text, 32);
    case 'duration':
      return readDuration(text);
    case 'logDuration':
      return readLogDuration(text);
    case 'stringArray':
      return [...(Array.isArray(before) ? before : []), text];
    case 'stringSlice':
      return [...(Array.isArray(before) ? before : []), ...readCsv(text)];
    case 'stringToString':
      return new Map([...(before instanceof Map ? before : []), ...readPairs(text)]);
    default:
      return type satisfies never;
  }
}

function readBool(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  throw new Error(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function readInteger(text: string, bits: 32 | 64): number {
  const digits = text.replaceAll('_', '');
  if (!/^[+-]?(\d+|0x[0-9a-f]+|0o?[0-7]+|0b[01]+)$/i.test(digits) || text === '')
    throw new Error(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = digits.startsWith('-') ? -Number(digits.slice(1)) : Number(digits.replace(/^\+/, ''));
  if (Math.abs(value) >= 2 ** (bits - 1))
    throw new Error(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return value;
}

function readDuration(text: string): number {
  const millis = parseDuration(text);
  if (millis !== undefined) return millis;
  const missingUnit = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text);
  throw new Error(`time: ${missingUnit ? 'missing unit in' : 'invalid'} duration ${JSON.stringify(text)}`);
}

function readLogDuration(text: string): number {
  const millis = parseDuration(text);
  if (millis === undefined) throw new Error('parse error');
  return millis;
}

/** One line of comma-separated values; quotes hold commas together. */
function readCsv(text: string): string[] {
  if (text === '') return [];
  const values: string[] = [];
  const pattern = /"((?:[^"]|"")*)"(,|$)|([^,]*)(,|$)/gy;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, quoted, afterQuoted, plain = '', after] = match;
    values.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if ((afterQuoted ?? after) === '') break;
  }
  return values;
}

function readPairs(text: string): [string, string][] {
  return readCsv(text).map((pair) => {
    const mark = pair.indexOf('=');
    if (mark < 0) throw new Error(`${pair} must be formatted as key=value`);
    return [pair.slice(0, mark), pair.slice(mark + 1)];
  });
}
