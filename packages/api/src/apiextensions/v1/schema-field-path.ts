import { isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';

const step = /\.([^.[\]]+)|\[(?:'((?:[^'\\]|\\.)*)'|[^\]]*)\]/y;

/** The target of a path. */
export interface ResolvedPath {
  readonly schema: JSONSchemaProps;
  /** The path as it is in errors: `spec.labels[app]`. */
  readonly path: string;
}

/** The field that a path such as `.spec.n` or `.labels['app']` leads to, or a message why there is none. */
export function resolveFieldPath(
  path: string,
  schema: JSONSchemaProps,
  { brackets = true }: { readonly brackets?: boolean } = {},
): ResolvedPath | string {
  let found: ResolvedPath = { schema, path: '' };
  let offset = 0;
  while (offset < path.length) {
    step.lastIndex = offset;
    const match = step.exec(path);
    if (!match) return `expected [ or . but got: ${path.slice(offset)}`;
    const [text, name, key] = match;
    if (name === undefined && (!brackets || key === undefined)) return 'array notation is not allowed';
    const next = fieldOf(found, name ?? unescaped(key ?? ''));
    if (!next) return 'does not refer to a valid field';
    found = next;
    offset += text.length;
  }
  return found;
}

/** Fields and the entries of maps are written alike. */
function fieldOf({ schema, path }: ResolvedPath, name: string | undefined): ResolvedPath | undefined {
  if (name === undefined) return undefined;
  const { properties, additionalProperties } = schema;
  if (!properties)
    return isRecord(additionalProperties) ? { schema: additionalProperties, path: `${path}[${name}]` } : undefined;
  const property = ownValue(properties, name);
  return property && { schema: property, path: path === '' ? name : `${path}.${name}` };
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unescaped(key: string): string | undefined {
  let isKnown = true;
  const text = key.replace(/\\(.)/g, (_, letter: string) => {
    isKnown &&= Object.hasOwn(escapes, letter);
    return escapes[letter] ?? '';
  });
  return isKnown ? text : undefined;
}
