import { simpleEscapes } from '../../simple-escapes.js';

/** The value of a string or bytes literal as written; `undefined` if an escape is wrong. */
export function readStringLiteral(text: string): string | Uint8Array | undefined {
  const [, prefix = '', quote = ''] = /^([bBrR]*)("""|'''|"|')/.exec(text) ?? [];
  const body = text.slice(prefix.length + quote.length, text.length - quote.length).replace(/\r\n?/g, '\n');
  const isBytes = /b/i.test(prefix);
  const isRaw = /r/i.test(prefix);
  if (isRaw || !body.includes('\\')) return isBytes ? new TextEncoder().encode(body) : body;
  return readEscapes(body, isBytes);
}

const simple: Readonly<Record<string, string>> = { ...simpleEscapes, '`': '`', '?': '?' };

const escapeSequence =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))|\\/g;

function readEscapes(body: string, isBytes: boolean): string | Uint8Array | undefined {
  const parts: (string | number)[] = [];
  let at = 0;
  for (const match of body.matchAll(escapeSequence)) {
    const [whole, letter, hex, short, long, octal] = match;
    if (whole === '\\') return undefined;
    parts.push(body.slice(at, match.index));
    at = match.index + whole.length;
    const code = hex ?? short ?? long;
    if (letter !== undefined) parts.push(simple[letter] ?? '');
    else if (isBytes && (short ?? long) !== undefined) return undefined;
    else parts.push(code === undefined ? Number.parseInt(octal ?? '0', 8) : Number.parseInt(code, 16));
  }
  parts.push(body.slice(at));
  return isBytes ? joinBytes(parts) : joinText(parts);
}

function joinText(parts: readonly (string | number)[]): string | undefined {
  if (parts.some((part) => typeof part === 'number' && (part > 0x10ffff || (part >= 0xd800 && part < 0xe000))))
    return undefined;
  return parts.map((part) => (typeof part === 'number' ? String.fromCodePoint(part) : part)).join('');
}

function joinBytes(parts: readonly (string | number)[]): Uint8Array {
  const encoder = new TextEncoder();
  return Uint8Array.from(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...encoder.encode(part)])));
}
