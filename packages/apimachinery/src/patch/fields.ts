/** An object of unknown type, as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Assigns a field whatever its name: a plain assignment to `__proto__` would change the prototype instead. */
export function setField(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  else target[name] = value;
}
