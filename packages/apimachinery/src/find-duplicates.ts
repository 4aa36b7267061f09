import { formatPath } from './decode-path.js';

/** One open array or object of the text. */
interface Level {
  /** The keys seen so far; absent for an array. */
  readonly keys: Set<string> | undefined;
  /** The key or index of the value that is being read. */
  step: string | number;
}

const quote = 0x22;
const comma = 0x2c;
const openObject = 0x7b;
const openArray = 0x5b;
const closeObject = 0x7d;
const closeArray = 0x5d;

/** Full paths of the keys that an object has twice, at most `limit` of them. Expects text that is known to be JSON. */
export function findDuplicates(text: string, limit: number): string[] {
  const found = new Set<string>();
  visitKeys(text, (levels, isRepeated) => {
    if (isRepeated) found.add(pathOf(levels));
    return found.size < limit;
  });
  return [...found];
}

/** Where a key stands in a text. */
export interface KeyPosition {
  readonly first: number;
  /** Where the same object has it again, if it does. */
  readonly second?: number;
}

/** Where the keys with these full paths stand in a text that is known to be JSON, counted in keys. */
export function keyPositions(text: string, paths: ReadonlySet<string>): Map<string, KeyPosition> {
  const found = new Map<string, KeyPosition>();
  let position = 0;
  visitKeys(text, (levels) => {
    position++;
    const path = pathOf(levels);
    if (!paths.has(path)) return true;
    const before = found.get(path);
    if (!before) found.set(path, { first: position });
    else if (before.second === undefined) found.set(path, { ...before, second: position });
    return true;
  });
  return found;
}

function pathOf(levels: readonly Level[]): string {
  return formatPath(levels.map(({ step }) => step));
}

/** Calls `visit` with every key of a text, in its order, until that returns false. */
function visitKeys(text: string, visit: (levels: readonly Level[], isRepeated: boolean) => boolean): void {
  const levels: Level[] = [];
  let level: Level | undefined;
  /** True where a string would be a key. */
  let atKey = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      const end = endOfString(text, i);
      if (atKey && level?.keys && !visit(levels, enterField(level.keys, level, textOf(text, i, end)))) return;
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
    }
  }
}

/** Whether the key has come before. */
function enterField(keys: Set<string>, level: Level, key: string): boolean {
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

/** What a string says, between its quotes at `start` and `end`. */
function textOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}
