/** One open array or object of a text. */
export interface JsonLevel {
  /** The keys seen so far; absent for an array. */
  readonly keys: Set<string> | undefined;
  /** The key or index of the value that is being read. */
  step: string | number;
}

export interface JsonVisitor {
  /** A key, with the levels that lead to it. False ends the visit. */
  readonly onKey?: (levels: readonly JsonLevel[], isRepeated: boolean) => boolean;
  /** A number as it is written. */
  readonly onNumber?: (levels: readonly JsonLevel[], literal: string) => void;
}

const quote = 0x22;
const comma = 0x2c;
const openObject = 0x7b;
const openArray = 0x5b;
const closeObject = 0x7d;
const closeArray = 0x5d;
const numberLiteral = /-?[\d.eE+-]+/y;

/** Visits a text that is valid JSON, in its order. */
export function visitJson(text: string, { onKey = () => true, onNumber }: JsonVisitor): void {
  const levels: JsonLevel[] = [];
  let level: JsonLevel | undefined;
  /** True where a string would be a key. */
  let atKey = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      const end = endOfString(text, i);
      if (atKey && level?.keys && !onKey(levels, enterField(level.keys, level, textOf(text, i, end)))) return;
      atKey = false;
      i = end;
    } else if (code === openObject || code === openArray) {
      atKey = code === openObject;
      level = atKey ? { keys: new Set(), step: '' } : { keys: undefined, step: 0 };
      levels.push(level);
    } else if (code === closeObject || code === closeArray) {
      levels.pop();
      level = levels[levels.length - 1];
      atKey = false;
    } else if (code === comma && level) {
      atKey = level.keys !== undefined;
      if (typeof level.step === 'number') level.step++;
    } else if (onNumber && startsNumber(code)) {
      const literal = literalAt(text, i);
      onNumber(levels, literal);
      i += literal.length - 1;
    }
  }
}

function startsNumber(code: number): boolean {
  return code === 0x2d || (code >= 0x30 && code <= 0x39);
}

function literalAt(text: string, at: number): string {
  numberLiteral.lastIndex = at;
  return numberLiteral.exec(text)?.[0] ?? text.charAt(at);
}

/** Whether the key occurred before. */
function enterField(keys: Set<string>, level: JsonLevel, key: string): boolean {
  level.step = key;
  const before = keys.size;
  keys.add(key);
  return keys.size === before;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  for (let code = text.charCodeAt(i); code !== quote; code = text.charCodeAt(i)) i += code === 0x5c ? 2 : 1;
  return i;
}

/** The content of a string, between its quotes at `start` and `end`. */
function textOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}
