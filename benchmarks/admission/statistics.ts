export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
  return (low + high) / 2;
}

/** The quantile of the figures. */
export function quantile(figures: readonly number[], part: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}

/** The 95 % confidence interval of the median, for any distribution. */
export function confidenceInterval(figures: readonly number[]): readonly [low: number, high: number] {
  const sorted = [...figures].sort((a, b) => a - b);
  const away = 0.98 * Math.sqrt(sorted.length);
  const at = (index: number) => sorted[Math.min(sorted.length - 1, Math.max(0, index))] ?? Number.NaN;
  return [at(Math.floor(sorted.length / 2 - away)), at(Math.ceil(sorted.length / 2 + away) - 1)];
}
