import { writeJson } from '@coracle/apimachinery';

export { sortKeys } from '@coracle/base';
export { formatYaml } from './printers/yaml-writer.js';

/** Objects from the server or from a file, whose fields are unchecked. */
export type Fields = Record<string, unknown>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of fields, or `undefined`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current) && typeof step === 'number') current = current[step];
    else if (isRecord(current) && Object.hasOwn(current, step)) current = current[step];
    else return undefined;
  }
  return current;
}

/** The object at a path, or an empty one. */
export function recordAt(value: unknown, ...path: readonly (string | number)[]): Fields {
  const found = at(value, ...path);
  return isRecord(found) ? found : {};
}

/** The list at a path, or an empty one. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The objects of the list at a path. */
export function recordsAt(value: unknown, ...path: readonly (string | number)[]): Fields[] {
  return listAt(value, ...path).filter(isRecord);
}

/** The text at a path; numbers and flags too. Empty when there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  return typeof found === 'number' || typeof found === 'bigint' || typeof found === 'boolean' ? String(found) : '';
}

/** The number at a path; of one beyond 2^53 the first digits. */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' || typeof found === 'bigint' ? Number(found) : undefined;
}

export function textsAt(value: unknown, ...path: readonly (string | number)[]): string[] {
  return listAt(value, ...path).map(String);
}

/** A map of texts, such as labels. */
export function stringMapAt(value: unknown, ...path: readonly (string | number)[]): Record<string, string> {
  return Object.fromEntries(Object.entries(recordAt(value, ...path)).map(([key, text]) => [key, String(text)]));
}

export function copyOf<T>(value: T): T {
  return structuredClone(value);
}

/** JSON as Go writes it: signs that mean something in HTML are escaped. */
export function goJson(value: unknown, indent = 0): string {
  return writeJson(value, indent).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
