/** A deep copy of a JSON value. Several times faster than `structuredClone`. */
export function deepCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = new Array(value.length);
    for (let i = 0; i < items.length; i++) items[i] = deepCopy(value[i]);
    return items as T;
  }
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    const copied = typeof field === 'object' && field !== null ? deepCopy(field) : field;
    // A plain assignment to this one key would change the prototype instead.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: copied, enumerable: true, writable: true, configurable: true });
    else copy[key] = copied;
  }
  return copy as T;
}
