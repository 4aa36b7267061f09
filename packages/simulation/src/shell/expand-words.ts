import { evaluate } from './arithmetic.js';
import { patternOf } from './pattern.js';
import type { ParameterPart, Script, Word, WordPart } from './script.js';

/** What words are expanded with. */
export interface ExpansionContext {
  /** The value of a variable or of a special parameter: `1`, `#`, `?`. */
  readonly valueOf: (name: string) => string | undefined;
  readonly assign: (name: string, value: string) => void;
  readonly positional: readonly string[];
  /** The output of a script. */
  readonly outputOf: (script: Script) => Promise<string>;
  /** The files whose paths match; none if the pattern is no pattern of files. */
  readonly filesLike: (pattern: string) => readonly string[];
}

/** A piece of text of a field, and whether it is quoted. */
interface Piece {
  readonly text: string;
  readonly quoted: boolean;
}

/** The fields of words: variables have their values, unquoted values are split, and patterns stand for files. */
export async function expandWords(words: readonly Word[], context: ExpansionContext): Promise<string[]> {
  const fields: string[] = [];
  for (const word of words)
    for (const field of await fieldsOf(word, context)) fields.push(...withFiles(field, context));
  return fields;
}

/** A word that is one field in any case: the value of an assignment, a file name, the subject of `case`. */
export async function expandWord(word: Word, context: ExpansionContext): Promise<string> {
  const texts: string[] = [];
  for (const part of word) texts.push(await textOf(part, context));
  return texts.join('');
}

/** A word as a pattern for text: quoted parts stand for themselves. */
export async function expandPattern(word: Word, context: ExpansionContext): Promise<RegExp> {
  const pieces: Piece[] = [];
  for (const part of word) pieces.push({ text: await textOf(part, context), quoted: part.quoted });
  return patternOf(pieces);
}

async function fieldsOf(word: Word, context: ExpansionContext): Promise<Piece[][]> {
  const fields: Piece[][] = [];
  let current: Piece[] | undefined;
  const begin = (piece: Piece) => {
    current = [piece];
    fields.push(current);
  };
  const add = (piece: Piece) => (current ? void current.push(piece) : begin(piece));
  for (const part of word) {
    if (part.kind === 'parameter' && part.name === '@' && part.quoted) {
      for (const [index, text] of context.positional.entries())
        if (index === 0) add({ text, quoted: true });
        else begin({ text, quoted: true });
      continue;
    }
    const text = await textOf(part, context);
    if (part.kind === 'text' || part.quoted) {
      add({ text, quoted: part.quoted });
      continue;
    }
    for (const [index, piece] of text.split(/[ \t\n]+/).entries()) {
      if (index > 0) current = undefined;
      if (piece !== '') add({ text: piece, quoted: false });
    }
  }
  return fields;
}

function withFiles(pieces: readonly Piece[], context: ExpansionContext): readonly string[] {
  const text = pieces.map((piece) => piece.text).join('');
  const isPattern = pieces.some((piece) => !piece.quoted && /[*?[]/.test(piece.text));
  const files = isPattern ? context.filesLike(text) : [];
  return files.length > 0 ? files : [text];
}

async function textOf(part: WordPart, context: ExpansionContext): Promise<string> {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'substitution':
      return (await context.outputOf(part.script)).replace(/\n+$/, '');
    case 'arithmetic':
      return String(evaluate(await expandWord(part.expression, context), context.valueOf));
    case 'parameter':
      return parameterOf(part, context);
    default:
      return part satisfies never;
  }
}

async function parameterOf({ name, length, change }: ParameterPart, context: ExpansionContext): Promise<string> {
  const { positional } = context;
  const value = name === '@' || name === '*' ? positional.join(' ') : context.valueOf(name);
  if (length) return String((value ?? '').length);
  if (!change) return value ?? '';
  const { operator, word } = change;
  if (/[#%]/.test(operator)) return trimmed(value ?? '', operator, await expandPattern(word, context));
  const isSet = value !== undefined && !(operator.startsWith(':') && value === '');
  if (operator.endsWith('+')) return isSet ? expandWord(word, context) : '';
  if (isSet) return value;
  const other = await expandWord(word, context);
  if (operator.endsWith('=')) context.assign(name, other);
  return other;
}

/** `${NAME#PATTERN}` and `${NAME%PATTERN}`: the shortest match is removed, with a double sign the longest. */
function trimmed(value: string, operator: string, pattern: RegExp): string {
  const atStart = operator.startsWith('#');
  const lengths = [...Array(value.length + 1).keys()];
  if (operator.length === 2) lengths.reverse();
  const part = (length: number) => (atStart ? value.slice(0, length) : value.slice(value.length - length));
  const found = lengths.find((length) => pattern.test(part(length)));
  if (found === undefined) return value;
  return atStart ? value.slice(found) : value.slice(0, value.length - found);
}
