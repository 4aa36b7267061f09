const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stageRank: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

/** Stable versions before beta before alpha, newer before older, all others after them by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  for (let i = 0; i < left.length; i++) {
    const difference = (right[i] as number) - (left[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rank(version: string): readonly number[] | undefined {
  const match = pattern.exec(version);
  if (!match) return undefined;
  const [, major, stage, minor] = match;
  return [stage === undefined ? 2 : (stageRank[stage] as number), Number(major), Number(minor ?? 0)];
}
