import { simpleEscapes } from '../simple-escapes.js';

/** The text of a Go string or character literal. */
export function unquote(literal: string): string {
  if (literal.startsWith('`')) return literal.slice(1, -1);
  return literal
    .slice(1, -1)
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gs,
      (_, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
        if (letter !== undefined) return simpleEscapes[letter] ?? `\\${letter}`;
        return String.fromCodePoint(
          octal ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? short ?? long ?? '0', 16),
        );
      },
    );
}

/** Text in double quotes as Go writes it. */
export function quote(text: string): string {
  let quoted = '';
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (letter === '"' || letter === '\\') quoted += `\\${letter}`;
    else if (letter === '\n') quoted += '\\n';
    else if (letter === '\t') quoted += '\\t';
    else if (letter === '\r') quoted += '\\r';
    else if (code === 7) quoted += '\\a';
    else if (code === 8) quoted += '\\b';
    else if (code === 12) quoted += '\\f';
    else if (code === 11) quoted += '\\v';
    else if (code < 32 || code === 127) quoted += `\\x${code.toString(16).padStart(2, '0')}`;
    else quoted += letter;
  }
  return `"${quoted}"`;
}
