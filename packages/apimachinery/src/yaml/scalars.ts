import { type Cursor, foldedBreak, isBlank } from './cursor.js';

// Constants of the module's own, since some module loaders look up imported ones each time.
const newline = 0x0a;
const space = 0x20;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const backslash = 0x5c;
const colon = 0x3a;
const hash = 0x23;
const tab = 0x09;

/** The characters that end a plain word inside of brackets. */
export function isFlowIndicator(code: number): boolean {
  return code === 0x2c || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;
}

/** Reads text in quotes, which may go over several lines. */
export function readQuoted(cursor: Cursor): string {
  const { text } = cursor;
  const quote = cursor.code;
  let read = '';
  let start = cursor.at + 1;
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      read += text.slice(start, at);
      cursor.at = at + 1;
      if (quote === doubleQuote || cursor.code !== singleQuote) return read;
      start = ++at;
    } else if (code === backslash && quote === doubleQuote) {
      read += text.slice(start, at);
      cursor.at = at + 1;
      read += readEscape(cursor);
      start = cursor.at;
      at = start - 1;
    } else if (code === newline) {
      read += text.slice(start, endOfWords(text, start, at));
      cursor.at = at;
      read += foldedBreak(skipLines(cursor));
      if (cursor.endsDocument && !cursor.atEnd)
        cursor.fail('found unexpected document indicator while scanning a quoted scalar');
      start = cursor.at;
      at = start - 1;
    } else if (code === 0) cursor.fail('found unexpected end of stream while scanning a quoted scalar');
  }
}

/** Where the text before `end` ends without the blanks after it. */
function endOfWords(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && isBlank(text.charCodeAt(last - 1))) last--;
  return last;
}

/** Advances from the end of a line to the next text, and returns the number of lines. */
function skipLines(cursor: Cursor): number {
  let lines = 0;
  for (; cursor.code === newline; lines++) cursor.startLine(cursor.at + 1);
  return lines;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const hexEscapes: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Reads an escape sequence after a backslash. */
function readEscape(cursor: Cursor): string {
  const name = cursor.text.charAt(cursor.at);
  if (name === '\n') {
    skipLines(cursor);
    return '';
  }
  const plain = simpleEscapes[name];
  cursor.at++;
  if (plain !== undefined) return plain;
  const length = hexEscapes[name] ?? cursor.fail('found unknown escape character');
  const digits = cursor.text.slice(cursor.at, cursor.at + length);
  if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < length) cursor.fail('did not find expected hexdecimal number');
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) cursor.fail('found invalid Unicode character escape code');
  cursor.at += length;
  return String.fromCodePoint(code);
}

/**
 * Reads plain text. It ends before `: `, ` #`, and a line that is indented no more than `parent`; in brackets before a
 * comma or bracket too. It is empty where none begins.
 */
export function readPlain(cursor: Cursor, parent: number, inFlow: boolean): string {
  let read = readPlainLine(cursor, inFlow);
  while (cursor.code === newline) {
    const lines = enterContinuation(cursor, parent, inFlow);
    if (lines === 0) break;
    const more = readPlainLine(cursor, inFlow);
    if (more === '') break;
    read += foldedBreak(lines) + more;
  }
  return read;
}

function readPlainLine(cursor: Cursor, inFlow: boolean): string {
  const { text, at: start } = cursor;
  let at = start;
  /** Where the last word ends. */
  let end = start;
  for (let code = text.charCodeAt(at); code !== newline; code = text.charCodeAt(++at)) {
    if (code === space || code === tab) continue;
    if (code === colon) {
      const next = text.charCodeAt(at + 1);
      if (isBlank(next) || (inFlow && isFlowIndicator(next))) break;
    } else if (code === hash) {
      if (isBlank(text.charCodeAt(at - 1))) break;
    } else if (inFlow && isFlowIndicator(code)) break;
    end = at + 1;
  }
  cursor.at = at;
  return text.slice(start, end);
}

/** Advances to the next line of the plain scalar, and returns the number of lines; 0 if there is none. */
function enterContinuation(cursor: Cursor, parent: number, inFlow: boolean): number {
  const { text } = cursor;
  let lines = 0;
  let lineStart = cursor.at;
  let at = cursor.at;
  let indent = 0;
  for (; text.charCodeAt(at) === newline; lines++) {
    lineStart = ++at;
    while (text.charCodeAt(at) === space) at++;
    indent = at - lineStart;
    while (text.charCodeAt(at) === tab || text.charCodeAt(at) === space) at++;
  }
  const code = text.charCodeAt(at);
  if (code === 0 || code === hash || (!inFlow && indent <= parent)) return 0;
  if (at === lineStart && cursor.isMarker(at)) return 0;
  cursor.startLine(lineStart);
  return lines;
}
