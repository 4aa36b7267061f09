/**
 * Messages print whole values the way upstream keeps them inside: with its own field names (`HostIPC`), every field
 * present, in the order of its types. A table says what a type looks like, a line for each:
 *
 *     Toleration: 'Key:s Operator:s Value:s Effect:s TolerationSeconds'
 *
 * A field is `Name`, or `Name=wireName` where the wire name is not the name in lower camel case, and after a colon what
 * an absent value becomes: `s` an empty text, `n` zero, `b` false; a type's name for a value of that type that is
 * always there, `*Type` for one that may be absent, `[Type]` for a list of them. With none of these the value is kept as
 * it is, and `null` when absent. A line that begins with `~` describes a type of the wire itself: wire names, and absent
 * and empty fields left out.
 */
export type InternalTypes = Readonly<Record<string, string>>;

export function toInternalForm(value: unknown, type: string, types: InternalTypes): unknown {
  if (type.startsWith('*')) return value == null ? null : toInternalForm(value, type.slice(1), types);
  if (type.startsWith('[')) return toInternalList(value, type.slice(1, -1), types);
  const line = types[type];
  if (line === undefined) throw new Error(`no such internal type: ${type}`);
  const fields = (value ?? {}) as Record<string, unknown>;
  return line.startsWith('~') ? toWireForm(fields, line.slice(1), types) : toStruct(fields, line, types);
}

function toStruct(fields: Record<string, unknown>, line: string, types: InternalTypes): Record<string, unknown> {
  const struct: Record<string, unknown> = {};
  for (const field of line.split(' ')) {
    const [names = '', kind = ''] = field.split(':');
    const [name = '', wireName = lowerCamel(name)] = names.split('=');
    struct[name] = toFieldValue(fields[wireName], kind, types);
  }
  return struct;
}

function toFieldValue(value: unknown, kind: string, types: InternalTypes): unknown {
  if (kind in zeroValues) return value ?? zeroValues[kind];
  if (kind !== '') return toInternalForm(value, kind, types);
  return isEmptyList(value) ? null : sortKeys(value ?? null);
}

const zeroValues: Readonly<Record<string, unknown>> = { s: '', n: 0, b: false };

function toInternalList(value: unknown, type: string, types: InternalTypes): unknown {
  if (!Array.isArray(value) || value.length === 0) return null;
  return value.map((item) => toInternalForm(item, type, types));
}

function toWireForm(fields: Record<string, unknown>, line: string, types: InternalTypes): Record<string, unknown> {
  const form: Record<string, unknown> = {};
  for (const field of line.split(' ')) {
    const [name = '', kind = ''] = field.split(':');
    const value = fields[name];
    if (value == null || isEmptyList(value)) continue;
    form[name] = kind === '' ? sortKeys(value) : toInternalForm(value, kind, types);
  }
  return form;
}

/** `HTTPGet` → `httpGet`, `SELinuxOptions` → `seLinuxOptions`, `TTY` → `tty`. */
function lowerCamel(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z]|$)|^[A-Z]/, (capitals) => capitals.toLowerCase());
}

/** Maps are printed in the order of their keys. */
function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
