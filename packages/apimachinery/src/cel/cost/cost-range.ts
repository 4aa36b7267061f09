/** The least and the most that something may be: a size or a cost. */
export interface CostRange {
  readonly min: number;
  readonly max: number;
}

/** Larger numbers are equivalent: too large. */
export const unbounded = 2 ** 64;

export const unknownRange: CostRange = { min: 0, max: unbounded };
export const noCost: CostRange = { min: 0, max: 0 };

export function fixed(value: number): CostRange {
  const bounded = Math.min(value, unbounded);
  return { min: bounded, max: bounded };
}

export function add(...ranges: readonly CostRange[]): CostRange {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min = Math.min(min + range.min, unbounded);
    max = Math.min(max + range.max, unbounded);
  }
  return { min, max };
}

export function multiply(a: CostRange, b: CostRange): CostRange {
  return { min: Math.min(a.min * b.min, unbounded), max: Math.min(a.max * b.max, unbounded) };
}

/** Rounded up. */
export function scale(range: CostRange, factor: number): CostRange {
  return {
    min: Math.min(Math.ceil(range.min * factor), unbounded),
    max: Math.min(Math.ceil(range.max * factor), unbounded),
  };
}

export function union(a: CostRange, b: CostRange): CostRange {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
