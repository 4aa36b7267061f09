import { type Int64, integerOf } from '../int64.js';
import { type FilterOperator, JsonPathError, type Path, type Step } from './path.js';
import type { TextCursor } from './text-cursor.js';

const fieldName = /(?:\\.|[^\s.,[\]$@{}()=!<>\\])+/y;
const number = /[-+]?\d+(?:\.\d+)?/y;
const boolean = /(?:true|false)(?![\w-])/y;
const singleQuoted = /'(?:\\.|[^'\\])*'/y;
const quoted = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/y;

/** Reads steps up to one of the characters of `end`, which is left to the caller. */
export function parsePath(cursor: TextCursor, end: string): Path {
  const steps: Step[] = [];
  for (;;) {
    cursor.skipSpaces();
    if (cursor.atEnd) throw new JsonPathError('unclosed action');
    if (end.includes(cursor.next)) return steps;
    steps.push(...parseStep(cursor));
  }
}

function parseStep(cursor: TextCursor): Step[] {
  if (cursor.skip('..')) return [{ kind: 'recursive' }, ...optionalField(cursor)];
  if (cursor.skip('$')) return [{ kind: 'root' }];
  // The current value, where every path starts.
  if (cursor.skip('@')) return [];
  if (cursor.skip('.')) return optionalField(cursor);
  if (cursor.skip('[')) return [parseBrackets(cursor)];
  return [parseConstantOrField(cursor)];
}

function optionalField(cursor: TextCursor): Step[] {
  if (cursor.skip('*')) return [{ kind: 'wildcard' }];
  const name = cursor.take(fieldName);
  return name === undefined ? [] : [field(name)];
}

function parseConstantOrField(cursor: TextCursor): Step {
  const constant = takeConstant(cursor);
  if (constant !== undefined) return { kind: 'constant', value: constant };
  if (cursor.skip('*')) return { kind: 'wildcard' };
  const name = cursor.take(fieldName);
  if (name === undefined) throw new JsonPathError(`unrecognized character in action: ${cursor.rest}`);
  return field(name);
}

function takeConstant(cursor: TextCursor): string | Int64 | boolean | undefined {
  const text = cursor.take(quoted);
  if (text !== undefined) return unquote(text);
  const truth = cursor.take(boolean);
  if (truth !== undefined) return truth === 'true';
  const digits = cursor.take(number);
  if (digits === undefined) return undefined;
  return isWhole.test(digits) ? integerOf(digits) : Number(digits);
}

const isWhole = /^-?\d+$/;

function field(name: string): Step {
  return { kind: 'field', name: name.replace(/\\(.)/g, '$1') };
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, (_, character: string) => escapes[character] ?? character);
}

/** After `[`, and past the `]`: `*`, `0`, `1:3`, `'name'`, `?(filter)`, or several of them with commas. */
function parseBrackets(cursor: TextCursor): Step {
  if (!cursor.hasAhead(']')) throw new JsonPathError('unterminated array');
  const choices: Path[] = [];
  do {
    cursor.skipSpaces();
    choices.push(parseChoice(cursor));
    cursor.skipSpaces();
  } while (cursor.skip(','));
  if (!cursor.skip(']')) throw new JsonPathError('unterminated array');
  const [only] = choices;
  return choices.length === 1 && only?.length === 1 && only[0] ? only[0] : { kind: 'union', paths: choices };
}

function parseChoice(cursor: TextCursor): Path {
  if (cursor.skip('?(')) return [parseFilter(cursor)];
  if (cursor.skip('*')) return [{ kind: 'wildcard' }];
  const name = cursor.take(singleQuoted);
  if (name !== undefined) return namedPath(name.slice(1, -1));
  return [parseSlice(cursor)];
}

/** A name in quotes is a path of names too: a dot that is part of a name is written `\\.`. */
function namedPath(text: string): Path {
  return text.match(/(?:\\.|[^.\\])+/g)?.map(field) ?? [];
}

function parseSlice(cursor: TextCursor): Step {
  const text = cursor.take(/[-\d:]+/y) ?? '';
  if (/^-?\d+$/.test(text)) return { kind: 'index', index: Number(text) };
  const match = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/.exec(text);
  if (!match) throw new JsonPathError(`invalid array index ${text}${cursor.rest.split(']', 1)[0]}`);
  const [, start, end, step] = match;
  return {
    kind: 'slice',
    ...(start && { start: Number(start) }),
    ...(end && { end: Number(end) }),
    ...(step && { step: Number(step) }),
  };
}

function parseFilter(cursor: TextCursor): Step {
  const left = parsePath(cursor, ')=!<>');
  const operator = cursor.take(/==|!=|<=|>=|<|>/y) as FilterOperator | undefined;
  const right = operator ? parsePath(cursor, ')') : [];
  if (!cursor.skip(')')) throw new JsonPathError('unterminated filter');
  return { kind: 'filter', left, right, ...(operator && { operator }) };
}
