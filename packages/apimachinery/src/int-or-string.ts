import { isPercent } from './names.js';

/** A number, or text: a name or a percentage. As on the wire. */
export type IntOrString = number | string;

export type Rounding = 'up' | 'down';

/** The fraction of a text such as `25%`; `undefined` if it is not a percentage. */
export function parsePercent(text: string): number | undefined {
  return isPercent(text).length === 0 ? Number(text.slice(0, -1)) : undefined;
}

/**
 * The number of an IntOrString: itself, or that percentage of `total`. `undefined` for text that is no percentage,
 * which validation rejects.
 */
export function scaledValue(value: IntOrString, total: number, rounding: Rounding): number | undefined {
  if (typeof value === 'number') return value;
  const percent = parsePercent(value);
  if (percent === undefined) return undefined;
  const exact = (percent * total) / 100;
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
