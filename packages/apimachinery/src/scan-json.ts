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

/**
 * One pass over JSON text that parsing alone would not tell us: how deep it goes and how many keys it spells out.
 * Broken text gives some answer; the parser finds what is wrong.
 */
export function scanJson(text: string, maxDepth: number): JsonScan {
  let colons = 0;
  let depth = 0;
  let loneSurrogate = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      for (i++; i < text.length; i++) {
        const inner = text.charCodeAt(i);
        if (inner === quote) break;
        if (inner !== backslash) continue;
        i++;
        if (text.charCodeAt(i) !== 0x75) continue;
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
function escapedLength(text: string, start: number): number {
  const unit = Number.parseInt(text.slice(start + 2, start + 6), 16);
  if (unit < 0xd800 || unit > 0xdfff || Number.isNaN(unit)) return 6;
  if (unit >= 0xdc00 || text.charCodeAt(start + 6) !== backslash || text.charCodeAt(start + 7) !== 0x75) return 0;
  const low = Number.parseInt(text.slice(start + 8, start + 12), 16);
  return low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
}
