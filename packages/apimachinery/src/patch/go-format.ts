/** A JSON value as Go's `%v` prints it, for messages that upstream fills that way: `map[a:1 b:[x y]]`. */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields).sort();
  return `map[${names.map((name) => `${name}:${formatGoValue(fields[name])}`).join(' ')}]`;
}
