/**
 * The value of a table under an untrusted key; `undefined` for `constructor`, `toString` and the like, which
 * every object inherits.
 */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
