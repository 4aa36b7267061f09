/** The value of a variable, or `undefined` if there is none of that name. */
export type Lookup = (name: string) => string | undefined;

/** Replaces `$(NAME)` by values. References without a value stay, and `$$` is an escaped `$`. */
export function expandVariables(text: string, lookup: Lookup): string {
  if (!text.includes('$')) return text;
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) =>
    name === undefined ? '$' : (lookup(name) ?? found),
  );
}
