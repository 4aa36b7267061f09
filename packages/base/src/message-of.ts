/** The message of a thrown value. Anything can be thrown, not only errors. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
