import { Cursor } from './cursor.js';
import { DocumentParser, type RepeatedKey } from './parse-node.js';
import { standardHandles, type TagHandles } from './properties.js';

export interface ParsedDocument {
  readonly value: unknown;
  /** Errors of strict parsing: duplicate keys of mappings, and their lines. */
  readonly repeated: readonly { readonly key: string; readonly line: number }[];
}

/** Characters that YAML does not allow, not even in comments. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the very characters that are looked for
const unprintable = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** Parses all non-empty documents of a text. Invalid YAML is a `YamlProblem`. */
export function parseStream(source: string, maxDepth: number): ParsedDocument[] {
  const cursor = new Cursor(withSimpleBreaks(source));
  const hostile = unprintable.exec(source);
  if (hostile) cursor.fail('control characters are not allowed', hostile.index);
  const parser = new DocumentParser(cursor, maxDepth);
  const documents: ParsedDocument[] = [];
  for (cursor.skip(); !cursor.atEnd; cursor.skip()) {
    const handles = readDirectives(cursor);
    if (cursor.endsDocument) {
      const isStart = cursor.text[cursor.at] === '-';
      cursor.at += 3;
      if (!isStart) continue;
    }
    cursor.skip();
    if (!cursor.endsDocument) {
      const { value, repeated } = parser.read(handles);
      cursor.skip();
      if (!cursor.endsDocument) cursor.fail('did not find expected <document start>');
      documents.push({ value, repeated: withLines(cursor, repeated) });
    }
  }
  return documents;
}

function withSimpleBreaks(source: string): string {
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

const none: ParsedDocument['repeated'] = [];

/** In the order of the text, so that its lines are counted once. */
function withLines(cursor: Cursor, repeated: readonly RepeatedKey[]): ParsedDocument['repeated'] {
  if (repeated.length === 0) return none;
  let line = 1;
  let counted = 0;
  return repeated
    .toSorted((a, b) => a.at - b.at)
    .map(({ key, at }) => {
      line += cursor.linesBetween(counted, at);
      counted = at;
      return { key, line };
    });
}

/** Reads the lines that begin with `%`. Only those that define tag prefixes have an effect. */
function readDirectives(cursor: Cursor): TagHandles {
  if (cursor.column > 0 || cursor.text[cursor.at] !== '%') return standardHandles;
  const handles = new Map(standardHandles);
  for (; cursor.text[cursor.at] === '%'; cursor.skip()) {
    const end = cursor.text.indexOf('\n', cursor.at);
    const [name, handle = '', prefix = ''] = cursor.text.slice(cursor.at, end).split(/[ \t]+/);
    if (name === '%TAG') handles.set(handle, prefix);
    cursor.at = end;
  }
  if (!cursor.endsDocument || cursor.text[cursor.at] !== '-') cursor.fail('did not find expected <document start>');
  return handles;
}
