import { ownValue } from '@coracle/base';
import { type Cursor, isBlank } from './cursor.js';
import { plainValue, readBoolean, readFloat, readInteger, readNull } from './plain-words.js';
import { isFlowIndicator } from './scalars.js';

/** Properties before a node: `&anchor` and `!tag`. */
export interface Properties {
  readonly anchor?: string;
  /** The full name of the tag; `!` for one that only says that the node is not plain. */
  readonly tag?: string;
  /** Their position in the line. */
  readonly column: number;
}

const ampersand = 0x26;
const exclamation = 0x21;

export function startsProperty(code: number): boolean {
  return code === ampersand || code === exclamation;
}

/** Reads the properties at the cursor in one line, and the blanks after them. */
export function readProperties(cursor: Cursor, handles: TagHandles): Properties {
  const read: { anchor?: string; tag?: string; column: number } = { column: cursor.column };
  while (startsProperty(cursor.code)) {
    if (cursor.code === ampersand) {
      if (read.anchor !== undefined) cursor.fail('did not find expected node content');
      read.anchor = readName(cursor);
    } else {
      if (read.tag !== undefined) cursor.fail('did not find expected node content');
      read.tag = readTag(cursor, handles);
    }
    cursor.skipBlanks();
  }
  return read;
}

/** Reads the name of an anchor or alias after its indicator. */
export function readName(cursor: Cursor): string {
  const { text } = cursor;
  const start = cursor.at + 1;
  let end = start;
  while (!isBlank(text.charCodeAt(end)) && !isFlowIndicator(text.charCodeAt(end))) end++;
  if (end === start) cursor.fail('did not find expected alphabetic or numeric character');
  cursor.at = end;
  return text.slice(start, end);
}

/** The expansions of tag shorthands such as `!!`. */
export type TagHandles = ReadonlyMap<string, string>;

const yamlTag = 'tag:yaml.org,2002:';
export const standardHandles: TagHandles = new Map([
  ['!', '!'],
  ['!!', yamlTag],
]);

function readTag(cursor: Cursor, handles: TagHandles): string {
  const { text, at: start } = cursor;
  let end = start;
  const isVerbatim = text[start + 1] === '<';
  while (!isBlank(text.charCodeAt(end)) && (isVerbatim || !isFlowIndicator(text.charCodeAt(end)))) end++;
  const tag = text.slice(start, end);
  cursor.at = end;
  if (isVerbatim) return /^!<([^>]+)>$/.exec(tag)?.[1] ?? cursor.fail('did not find expected tag URI');
  const [, handle = '', suffix = ''] =
    /^(!(?:[\w-]*!)?)([^!]*)$/.exec(tag) ?? cursor.fail('did not find expected tag URI');
  return (handles.get(handle) ?? cursor.fail('found undefined tag handle')) + suffix;
}

/** The value of a text with a tag; `undefined` if it is invalid. */
const scalarByTag: Readonly<Record<string, (text: string) => unknown>> = {
  '!': (text) => text,
  [`${yamlTag}str`]: (text) => text,
  [`${yamlTag}null`]: readNull,
  [`${yamlTag}bool`]: readBoolean,
  [`${yamlTag}int`]: readInteger,
  [`${yamlTag}float`]: readFloat,
  [`${yamlTag}merge`]: (text) => (text === '<<' ? text : undefined),
};

export function scalarValue(cursor: Cursor, text: string, tag: string | undefined): unknown {
  if (tag === undefined) return finite(cursor, plainValue(text));
  const read = ownValue(scalarByTag, tag) ?? cursor.fail(`cannot read a scalar as ${tag}`);
  const value = read(text);
  if (value === undefined) cursor.fail(`cannot decode ${JSON.stringify(text)} as ${tag}`);
  return finite(cursor, value);
}

function finite(cursor: Cursor, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? cursor.fail(`not a JSON number: ${value}`) : value;
}

/** Refuses a collection whose tag says that it is something else. */
export function checkCollection(cursor: Cursor, value: unknown, tag: string | undefined): void {
  const right = Array.isArray(value) ? `${yamlTag}seq` : `${yamlTag}map`;
  if (tag !== undefined && tag !== '!' && tag !== right) cursor.fail(`cannot read a collection as ${tag}`);
}
