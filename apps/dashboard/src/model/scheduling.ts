/** A try of the scheduler to place a pod. */
export interface Attempt {
  readonly at: string;
  readonly outcome: string;
  readonly text: string;
}

/** Tries with the same outcome one after the other, once, at the time of the last. */
export function groupAttempts(attempts: readonly Attempt[]): (Attempt & { readonly count: number })[] {
  const groups: (Attempt & { readonly count: number })[] = [];
  for (const attempt of attempts) {
    const last = groups.at(-1);
    if (last?.outcome === attempt.outcome && last.text === attempt.text)
      groups[groups.length - 1] = { ...attempt, count: last.count + 1 };
    else groups.push({ ...attempt, count: 1 });
  }
  return groups;
}
