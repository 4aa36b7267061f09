import { parsePath } from './parse-path.js';
import { JsonPathError, type Part } from './path.js';
import { TextCursor } from './text-cursor.js';

/** Reads a template: text, and actions in braces. */
export function parseTemplate(template: string): readonly Part[] {
  const cursor = new TextCursor(template);
  const parts = parseParts(cursor, false);
  if (!cursor.atEnd) throw new JsonPathError('not in range, nothing to end');
  return parts;
}

/** Up to the end of the text or, in a range, past its `{end}`. */
function parseParts(cursor: TextCursor, inRange: boolean): Part[] {
  const parts: Part[] = [];
  while (!cursor.atEnd) {
    const text = cursor.takeUntil('{');
    if (text !== '') parts.push({ kind: 'text', text });
    if (cursor.atEnd) break;
    const start = cursor.position;
    cursor.skip('{');
    cursor.skipSpaces();
    if (cursor.skipWord('end')) {
      if (!inRange) {
        cursor.position = start;
        return parts;
      }
      close(cursor);
      return parts;
    }
    parts.push(...parseAction(cursor));
  }
  // A range without an end extends to the end of the template.
  return parts;
}

function parseAction(cursor: TextCursor): Part[] {
  if (cursor.skipWord('range')) {
    cursor.skipSpaces();
    const path = parsePath(cursor, '}');
    close(cursor);
    return [{ kind: 'range', path, body: parseParts(cursor, true) }];
  }
  const path = parsePath(cursor, '}');
  close(cursor);
  const [only] = path;
  if (path.length === 1 && only?.kind === 'constant') return [{ kind: 'text', text: String(only.value) }];
  return [{ kind: 'path', path }];
}

function close(cursor: TextCursor): void {
  cursor.skipSpaces();
  if (!cursor.skip('}')) throw new JsonPathError('unclosed action');
}
