import { FAILSAFE_SCHEMA, Type, type Schema as YamlSchema } from 'js-yaml';
import { formatYamlNumber } from '../go-float.js';
import { readBoolean, readFloat, readInteger, readNull } from './plain-words.js';

/**
 * Defines for js-yaml how plain scalars are resolved (see `plainValue`), so that it quotes text which would be read as
 * something else.
 */
export function goYamlSchema(): YamlSchema {
  const merge = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (text) => text === '<<' });
  const time = new Type('tag:yaml.org,2002:timestamp', { kind: 'scalar', resolve: isTime, predicate: () => false });
  return FAILSAFE_SCHEMA.extend({
    implicit: [
      scalar('null', readNull, (value) => value === null),
      scalar('bool', readBoolean, (value) => typeof value === 'boolean'),
      scalar(
        'int',
        readInteger,
        (value) =>
          typeof value === 'bigint' || (Number.isInteger(value) && /^-?\d+$/.test(formatYamlNumber(value as number))),
      ),
      scalar(
        'float',
        readFloat,
        (value) => typeof value === 'number',
        (value) => formatYamlNumber(value as number),
      ),
      merge,
      time,
    ],
  });
}

const times = [
  /^\d{4}-\d\d?-\d\d?$/,
  /^\d{4}-\d\d?-\d\d? \d\d?:\d\d?:\d\d?(?:\.\d+)?$/,
  /^\d{4}-\d\d?-\d\d?[Tt]\d\d?:\d\d?:\d\d?(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/,
];

/** Coracle reads timestamps as strings, but not every parser does. */
function isTime(text: string | null): boolean {
  return text !== null && times.some((time) => time.test(text));
}

type Read = (text: string) => unknown;

/** A type of plain scalars. `read` returns `undefined` for other ones. Values are written as in JSON. */
function scalar(
  name: string,
  read: Read,
  predicate: (value: unknown) => boolean,
  represent: (value: unknown) => string = String,
): Type {
  return new Type(`tag:yaml.org,2002:${name}`, {
    kind: 'scalar',
    resolve: (text) => read(text ?? '') !== undefined,
    construct: (text) => read(text ?? ''),
    predicate,
    represent,
  });
}
