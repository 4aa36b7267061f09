/** Suggestions for a mistyped command: at most two letters different, or with the same beginning. */
export function suggestionsFor(typed: string, names: readonly string[]): string[] {
  return names.filter(
    (name) =>
      distance(typed.toLowerCase(), name.toLowerCase()) <= 2 || name.toLowerCase().startsWith(typed.toLowerCase()),
  );
}

/** Levenshtein's: how many letters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
