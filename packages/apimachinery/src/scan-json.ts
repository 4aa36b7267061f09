export interface JsonScan {
  /** Colons outside of strings: the number of keys that the text spells out. */
  readonly colons: number;
  readonly tooDeep: boolean;
  /** An escape such as `\ud800` without its partner. */
  readonly loneSurrogate: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** The result of a fast scan of JSON text. Neither count is less than the true one. */
export interface JsonEstimate {
  readonly colons: number;
  /** Counted no further than the limit and one. */
  readonly depth: number;
}

/**
 * Far quicker than `scanJson`, and enough for nearly all text: it counts every bracket as a level, and every colon that
 * comes after a quote or a blank as that of a key, in strings too.
 */
export function estimateJson(text: string, maxDepth: number): JsonEstimate {
  let colons = 0;
  for (let i = text.indexOf(':'); i >= 0; i = text.indexOf(':', i + 1)) {
    const before = text.charCodeAt(i - 1);
    if (before === quote || before <= 0x20) colons++;
  }
  const objects = count(text, '{', maxDepth + 1);
  return { colons, depth: objects > maxDepth ? objects : objects + count(text, '[', maxDepth + 1) };
}

function count(text: string, character: string, limit: number): number {
  let found = 0;
  for (let i = text.indexOf(character); i >= 0 && found < limit; i = text.indexOf(character, i + 1)) found++;
  return found;
}

/**
 * One pass over JSON in UTF-8 for what parsing alone would not show: its depth and its number of keys. For invalid text
 * the result is arbitrary; the parser reports the error.
 */
export function scanJson(text: Uint8Array, maxDepth: number): JsonScan {
  let colons = 0;
  let depth = 0;
  let loneSurrogate = false;
  for (let i = 0; i < text.length; i++) {
    const code = text[i];
    if (code === quote) {
      for (i++; i < text.length; i++) {
        const inner = text[i];
        if (inner === quote) break;
        if (inner !== backslash) continue;
        i++;
        if (text[i] !== 0x75) continue;
        const length = escapedLength(text, i - 1);
        if (length === 0) loneSurrogate = true;
        else i += length - 2;
      }
    } else if (code === colon) colons++;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return { colons, tooDeep: true, loneSurrogate };
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return { colons, tooDeep: false, loneSurrogate };
}

/** How long the `\u` escape at `start` is: 6, or 12 for a surrogate pair; 0 for half a pair. */
function escapedLength(text: Uint8Array, start: number): number {
  const unit = hexUnit(text, start + 2);
  if (unit < 0xd800 || unit > 0xdfff || Number.isNaN(unit)) return 6;
  if (unit >= 0xdc00 || text[start + 6] !== backslash || text[start + 7] !== 0x75) return 0;
  const low = hexUnit(text, start + 8);
  return low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
}

/** The four hexadecimal digits at `start` as a number; `NaN` if they are none. */
function hexUnit(text: Uint8Array, start: number): number {
  let unit = 0;
  for (let i = start; i < start + 4; i++) unit = unit * 16 + hexDigit(text[i] ?? 0);
  return unit;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}
