/** Copies a field from `source` to `target`; removes it if it is absent. */
export function takeField<T extends object, K extends keyof T>(target: T, source: T, field: K): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
