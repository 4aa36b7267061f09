import { FAILSAFE_SCHEMA, Type, type Schema as YamlSchema } from 'js-yaml';

/**
 * What plain words mean in YAML as the Go tools read it: `yes` and `on` are booleans and `0644` is octal, as in YAML 1.1;
 * times and `12:30` stay text.
 */
export function goYamlSchema(): YamlSchema {
  const merge = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (text) => text === '<<' });
  return FAILSAFE_SCHEMA.extend({
    implicit: [
      scalar('null', readNull, (value) => value === null),
      scalar('bool', readBoolean, (value) => typeof value === 'boolean'),
      scalar('int', readInteger, Number.isInteger),
      scalar('float', readFloat, (value) => typeof value === 'number'),
      merge,
    ],
  });
}

type Read = (text: string) => unknown;

/** A type of plain words. `read` gives `undefined` for what is none of it. Values are written as in JSON. */
function scalar(name: string, read: Read, predicate: (value: unknown) => boolean): Type {
  return new Type(`tag:yaml.org,2002:${name}`, {
    kind: 'scalar',
    resolve: (text) => read(text ?? '') !== undefined,
    construct: (text) => read(text ?? ''),
    predicate,
    represent: String,
  });
}

const nullWords = new Set(['', '~', 'null', 'Null', 'NULL']);

function readNull(text: string): null | undefined {
  return nullWords.has(text) ? null : undefined;
}

const booleans: ReadonlyMap<string, boolean> = new Map(
  [
    ['true', 'yes', 'on'],
    ['false', 'no', 'off'],
  ].flatMap((words, index) =>
    words.flatMap((word) => {
      const capital = word.charAt(0).toUpperCase() + word.slice(1);
      return [word, capital, word.toUpperCase()].map((form) => [form, index === 0] as const);
    }),
  ),
);

function readBoolean(text: string): boolean | undefined {
  return booleans.get(text);
}

const integer = /^([-+]?)(0b[01]+|0o?[0-7]+|0x[0-9a-fA-F]+|0|[1-9][0-9]*)$/;

function readInteger(text: string): number | undefined {
  if (!startsNumber(text)) return undefined;
  const match = integer.exec(text.replaceAll('_', ''));
  if (!match) return undefined;
  const [, sign, digits = ''] = match;
  const size = Number(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return sign === '-' && size !== 0 ? -size : size;
}

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const infinity = /^([-+]?)\.(?:inf|Inf|INF)$/;

function readFloat(text: string): number | undefined {
  if (!startsNumber(text)) return undefined;
  const plain = text.replaceAll('_', '');
  if (float.test(plain)) return Number(plain);
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return Number.NaN;
  const match = infinity.exec(text);
  return match ? (match[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY) : undefined;
}

/** Most words are no numbers, which their first character tells. */
function startsNumber(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e;
}
