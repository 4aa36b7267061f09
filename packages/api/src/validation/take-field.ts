/** Makes a field of `target` what it is in `source`, absent if it is so there. */
export function takeField<T extends object, K extends keyof T>(target: T, source: T, field: K): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
