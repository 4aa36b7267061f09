import { formatYamlNumber } from '@coracle/apimachinery';

/** Words that YAML 1.1 resolves as booleans and null. */
const reserved =
  /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|true|True|TRUE|false|False|FALSE|~|null|Null|NULL|<<|\.nan|\.NaN|\.NAN|[+-]?\.(?:inf|Inf|INF))$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const integer = /^[-+]?(?:[0-9]+|0b[01]+|0o?[0-7]+|0x[0-9a-fA-F]+)$/;
/** Minutes and seconds were numbers once. */
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const timestamp =
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|\s+)\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?\s*(?:Z|[-+]\d{1,2}(?::?\d{2})?)?)?$/;
/** Most text begins with a letter and has no sign in it that means anything. */
const surelyPlain = /^[A-Za-z][\w./@=+-]*$/;
const indicatorFirst = /^[#,[\]{}&*!|>'"%@`]/;
/** Characters that only double quotes can hold. */
const special = new RegExp(
  [
    '[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u0084\\u0086-\\u009f\\ufeff\\ufffe\\uffff]',
    '[\\ud800-\\udbff](?![\\udc00-\\udfff])',
    '(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
  ].join('|'),
);

/** A document as the Go tools print it: keys in order, lists not indented, text quoted only where it must be. */
export function formatYaml(value: unknown): string {
  const out: string[] = [];
  if (isEmptyOrScalar(value)) out.push(scalar(value, 0), '\n');
  else block(value as object, 0, out);
  return out.join('');
}

function isEmptyOrScalar(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : !hasKeys(value);
}

function hasKeys(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}

/** Writes a list or an object whose first line continues the current one. */
function block(value: object, indent: number, out: string[]): void {
  if (Array.isArray(value)) list(value, indent, out);
  else map(value as Record<string, unknown>, indent, out);
}

function map(value: Readonly<Record<string, unknown>>, indent: number, out: string[]): void {
  const pad = ' '.repeat(indent);
  let isFirst = true;
  for (const key of Object.keys(value).sort(byCodeUnit)) {
    const item = value[key];
    if (item === undefined) continue;
    if (!isFirst) out.push(pad);
    isFirst = false;
    out.push(keyText(key), ':');
    if (isEmptyOrScalar(item)) out.push(' ', scalar(item, indent + 2), '\n');
    else {
      out.push('\n');
      const deeper = Array.isArray(item) ? indent : indent + 2;
      out.push(' '.repeat(deeper));
      block(item as object, deeper, out);
    }
  }
}

function list(items: readonly unknown[], indent: number, out: string[]): void {
  const pad = ' '.repeat(indent);
  items.forEach((item, i) => {
    if (i > 0) out.push(pad);
    out.push('- ');
    if (isEmptyOrScalar(item)) out.push(scalar(item, indent + 2), '\n');
    else block(item as object, indent + 2, out);
  });
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function keyText(key: string): string {
  if (surelyPlain.test(key) && !reserved.test(key)) return key;
  return key.includes('\n') ? doubleQuoted(key) : text(key, 0);
}

function scalar(value: unknown, indent: number): string {
  if (typeof value === 'string') return text(value, indent);
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? '[]' : '{}';
  return typeof value === 'number' ? formatYamlNumber(value) : String(value);
}

function text(value: string, indent: number): string {
  if (surelyPlain.test(value) && !reserved.test(value)) return value;
  if (special.test(value)) return doubleQuoted(value);
  if (value.includes('\n')) return / \n| $/.test(value) ? doubleQuoted(value) : literal(value, indent);
  if (value === '' || isOtherType(value)) return `"${value}"`;
  return isPlain(value) ? value : `'${value.replaceAll("'", "''")}'`;
}

/** Whether plain text would be read as something else than text. */
function isOtherType(value: string): boolean {
  const plain = value.replaceAll('_', '');
  return (
    reserved.test(value) ||
    (/^[-+.\d]/.test(value) &&
      (integer.test(plain) || float.test(plain) || base60.test(value) || timestamp.test(value)))
  );
}

function isPlain(value: string): boolean {
  if (indicatorFirst.test(value) || /^[?:-](?:\s|$)/.test(value) || /^(?:---|\.\.\.)/.test(value)) return false;
  return !/:(?:\s|$)|\s#|^\s|\s$/.test(value);
}

/** Lines as they are; the header determines the trailing newlines. */
function literal(value: string, indent: number): string {
  const hint = /^[ \n]/.test(value) ? '2' : '';
  const chomp = !value.endsWith('\n') ? '-' : value === '\n' || value.endsWith('\n\n') ? '+' : '';
  const pad = ' '.repeat(indent);
  const body = value.endsWith('\n') ? value.slice(0, -1) : value;
  const lines = body.split('\n').map((line) => (line === '' ? '' : pad + line));
  return `|${hint}${chomp}\n${lines.join('\n')}`;
}

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u00a0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function doubleQuoted(value: string): string {
  let quoted = '';
  for (const letter of value) {
    const short = escapes[letter];
    if (short !== undefined) quoted += short;
    else if (special.test(letter)) {
      const code = letter.codePointAt(0) ?? 0;
      quoted += code <= 0xff ? `\\x${hex(code, 2)}` : code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
    } else quoted += letter;
  }
  return `"${quoted}"`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}
