import { isRecord, ownValue } from '@coracle/base';
import type { JSONSchemaProps } from '../../generated/types/apiextensions-v1.js';

const step = /\.([^.[\]]+)|\[(?:'((?:[^'\\]|\\.)*)'|[^\]]*)\]/y;

/** The schema of the field that a path such as `.spec.n` leads to, or a message why there is none. */
export function resolveFieldPath(
  path: string,
  schema: JSONSchemaProps,
  { brackets = true }: { readonly brackets?: boolean } = {},
): JSONSchemaProps | string {
  let found: JSONSchemaProps = schema;
  let offset = 0;
  while (offset < path.length) {
    step.lastIndex = offset;
    const match = step.exec(path);
    if (!match) return `expected [ or . but got: ${path.slice(offset)}`;
    const [text, name, key] = match;
    if (name === undefined && (!brackets || key === undefined)) return 'array notation is not allowed';
    const next = name === undefined ? entryOf(found, key ?? '') : ownValue(found.properties ?? {}, name);
    if (!next) return 'does not refer to a valid field';
    found = next;
    offset += text.length;
  }
  return found;
}

function entryOf({ additionalProperties, properties = {} }: JSONSchemaProps, key: string): JSONSchemaProps | undefined {
  return isRecord(additionalProperties) ? additionalProperties : ownValue(properties, key.replace(/\\(.)/g, '$1'));
}
