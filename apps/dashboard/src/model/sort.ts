/** `Age`, or `-Age` for the other way. */
export function sortOf(text: string | null): { column: string; descending: boolean } | undefined {
  if (!text) return undefined;
  return text.startsWith('-') ? { column: text.slice(1), descending: true } : { column: text, descending: false };
}
