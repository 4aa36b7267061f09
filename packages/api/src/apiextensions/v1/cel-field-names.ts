/** Reserved words of CEL. */
const reserved: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
);
/** Of those, the ones that may be field names after a dot. */
const symbols: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The names of a field in expressions: none if it has characters that no name can stand for. */
export function celFieldNames(field: string): string[] {
  if (reserved.has(field)) return symbols.has(field) ? [`__${field}__`] : [`__${field}__`, field];
  if (!/^[a-zA-Z_][a-zA-Z0-9_.\-/]*$/.test(field)) return [];
  return [field.replace(/__|[.\-/]/g, (part) => escapes[part] ?? part)];
}
