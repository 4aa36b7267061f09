import { maxScore } from './plugin.js';

/** Scales scores so that the highest becomes 100; with `reverse` the lowest score becomes the highest. */
export function normalizeByMaximum(scores: number[], { reverse }: { readonly reverse: boolean }): void {
  const highest = scores.reduce((a, b) => Math.max(a, b), 0);
  for (let i = 0; i < scores.length; i++) {
    const score = highest === 0 ? 0 : Math.trunc((maxScore * (scores[i] as number)) / highest);
    scores[i] = reverse ? maxScore - score : score;
  }
}
