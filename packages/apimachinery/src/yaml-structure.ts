import { isMap, isScalar, isSeq, Lexer, type ParsedNode } from 'yaml';
import { formatPath } from './decode-path.js';

/** Precedes a plain scalar in the lexer's output, which may look like an indicator. */
const scalarMark = '\x1f';
/** Begins each document there. */
const documentMark = '\x02';

/**
 * Whether YAML text nests deeper than `maxDepth`. The parser would overflow the stack, so this must be known before.
 * Text that cannot, by the count of its brackets and blanks, is not looked at any closer.
 */
export function nestsTooDeep(text: string, maxDepth: number): boolean {
  if (!mayNest(text, maxDepth)) return false;
  let flow = 0;
  let column = 0;
  let atLineStart = true;
  let previous = '';
  for (const token of new Lexer().lex(text)) {
    if (token === documentMark) continue;
    const indicator = previous === scalarMark ? '' : token;
    if (indicator === '[' || indicator === '{') flow++;
    else if ((indicator === ']' || indicator === '}') && flow > 0) flow--;
    if (indicator === '\n') column = 0;
    else if (atLineStart || column === 0) column += token.length;
    // Blanks, dashes and question marks at the start of a line can open a level each.
    atLineStart = indicator === '\n' || (atLineStart && /^(?: +|-|\?)$/.test(indicator));
    if (flow + (atLineStart ? column / 2 : 0) > maxDepth) return true;
    previous = token;
  }
  return false;
}

function mayNest(text: string, maxDepth: number): boolean {
  let brackets = 0;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) brackets++;
    run = code === 0x20 || code === 0x2d || code === 0x3f ? run + 1 : 0;
    if (brackets > maxDepth || run > maxDepth) return true;
  }
  return false;
}

interface Visit {
  readonly node: ParsedNode | null;
  readonly path: readonly (string | number)[];
}

/** Full paths of the keys that a mapping has twice. */
export function duplicateKeys(root: unknown): string[] {
  const found: string[] = [];
  const open: Visit[] = [{ node: root as ParsedNode | null, path: [] }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    const { node, path } = visit;
    if (isSeq(node))
      for (const [i, item] of node.items.entries()) open.push({ node: item as ParsedNode, path: [...path, i] });
    if (!isMap(node)) continue;
    const keys = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : String(key);
      if (keys.has(name)) found.push(formatPath([...path, name]));
      keys.add(name);
      if (isMap(value) || isSeq(value)) open.push({ node: value as ParsedNode, path: [...path, name] });
    }
  }
  return found;
}
