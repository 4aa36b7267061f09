import { parseDuration, parseQuantity } from '@coracle/apimachinery';

/** Parses the value of a field, or throws an error with the problem. */
export type Read = (value: unknown, field: string) => unknown;

export const text: Read = (value, field) => {
  if (typeof value === 'string') return value;
  throw new Error(`${field}: must be a string`);
};
export const whole: Read = (value, field) => {
  if (Number.isInteger(value)) return value;
  throw new Error(`${field}: must be a whole number`);
};
export const notNegative: Read = (value, field) => {
  if ((whole(value, field) as number) >= 0) return value;
  throw new Error(`${field}: must not be a negative number`);
};
export const positive: Read = (value, field) => {
  if ((whole(value, field) as number) > 0) return value;
  throw new Error(`${field}: must be a positive number`);
};
export const portNumber: Read = (value, field) => {
  const port = whole(value, field) as number;
  if (port >= 0 && port <= 65_535) return port;
  throw new Error(`${field}: must be between 0 and 65535, inclusive`);
};
export const flag: Read = (value, field) => {
  if (typeof value === 'boolean') return value;
  throw new Error(`${field}: must be true or false`);
};
export const duration: Read = (value, field) => {
  const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
  if (parsed !== undefined) return parsed;
  throw new Error(`${field}: must be a duration, such as 1m30s`);
};
export const bytes: Read = (value, field) => parseQuantity(text(value, field) as string).value();
export const texts: Read = (value, field) => {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new Error(`${field}: must be a list of strings`);
};
export const amounts: Read = (value, field) => {
  if (typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string'))
    return value;
  throw new Error(`${field}: must be a map of strings`);
};

export const oneOf =
  (...choices: readonly string[]): Read =>
  (value, field) => {
    if (typeof value === 'string' && choices.includes(value)) return value;
    throw new Error(`${field}: must be one of ${choices.join(', ')}`);
  };
export const listOf =
  (fields: Readonly<Record<string, Read>>): Read =>
  (value, field) => {
    if (!Array.isArray(value)) throw new Error(`${field}: must be a list`);
    return value.map((one: unknown, index) => {
      const at = `${field}[${index}]`;
      if (typeof one !== 'object' || one === null) throw new Error(`${at}: must be an object`);
      const entries = Object.entries(fields).map(([name, read]) => [
        name,
        read(Reflect.get(one, name), `${at}.${name}`),
      ]);
      return Object.fromEntries(entries);
    });
  };

/** Parses an object with these fields only; absent ones are set from `defaults`. */
export function objectOf<T extends object>(defaults: T, fields: { readonly [K in keyof T]: Read }): Read {
  return (value, field) => {
    if (typeof value !== 'object' || value === null) throw new Error(`${field}: must be an object`);
    const read: Record<string, unknown> = Object.fromEntries(Object.entries(defaults));
    for (const [name, one] of Object.entries(value)) {
      const at = `${field}.${name}`;
      const reader: Read | undefined = Object.hasOwn(fields, name) ? Reflect.get(fields, name) : undefined;
      if (!reader) throw new Error(`strict decoding error: unknown field "${at}"`);
      if (one !== null && one !== undefined) read[name] = reader(one, at);
    }
    return read;
  };
}
