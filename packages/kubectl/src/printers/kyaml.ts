/** Words that some YAML reader does not resolve as strings. */
const ambiguous = /^(?:~|null|true|false|yes|no|on|off|y|n|[-+.]?\d[\d_.:eExXoa-f+-]*|\.(?:inf|nan)|[+-]\.inf)$/i;
const plainKey = /^[A-Za-z_][\w./-]*$/;

/** KYAML: YAML in flow style, with quoted strings and trailing commas, so that it does not depend on indentation. */
export function formatKyaml(value: unknown): string {
  return `---\n${format(value, 0)}\n`;
}

function format(value: unknown, depth: number): string {
  if (Array.isArray(value)) return formatList(value, depth);
  if (typeof value === 'object' && value !== null) return formatMap(value as Record<string, unknown>, depth);
  if (typeof value === 'string') return formatString(value, depth);
  return value === null || value === undefined ? 'null' : String(value);
}

function formatMap(value: Readonly<Record<string, unknown>>, depth: number): string {
  const keys = Object.keys(value).sort();
  if (keys.length === 0) return '{}';
  const pad = '  '.repeat(depth + 1);
  const lines = keys.map((key) => `${pad}${formatKey(key)}: ${format(value[key], depth + 1)},\n`);
  return `{\n${lines.join('')}${'  '.repeat(depth)}}`;
}

/** Lists of objects share the brackets' line with them. */
function formatList(items: readonly unknown[], depth: number): string {
  if (items.length === 0) return '[]';
  if (items.every((item) => typeof item === 'object' && item !== null && Object.keys(item).length > 0))
    return `[${items.map((item) => format(item, depth)).join(', ')}]`;
  const pad = '  '.repeat(depth + 1);
  return `[\n${items.map((item) => `${pad}${format(item, depth + 1)},\n`).join('')}${'  '.repeat(depth)}]`;
}

function formatKey(key: string): string {
  return plainKey.test(key) && !ambiguous.test(key) ? key : JSON.stringify(key);
}

/** Text of several lines is folded, one line of text a line of output. */
function formatString(text: string, depth: number): string {
  if (!text.includes('\n')) return JSON.stringify(text);
  const pad = '  '.repeat(depth + 1);
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const body = lines.map((line) => `${pad}${shielded(JSON.stringify(line).slice(1, -1))}\\n\\\n`).join('');
  const tail = last === '' ? `${pad}"` : `${pad}${shielded(JSON.stringify(last).slice(1, -1))}\\\n${pad}"`;
  return `"\\\n${body}${tail}`;
}

/** Leading space would be folded. */
function shielded(line: string): string {
  return /^[ \t]/.test(line) ? `\\${line}` : ` ${line}`;
}
