/** A variable's value, or `undefined` if there is none of that name. */
export type Lookup = (name: string) => string | undefined;

/** Puts values in place of `$(NAME)`. What has no value stays as it is, and `$$` stands for one `$`. */
export function expandVariables(text: string, lookup: Lookup): string {
  if (!text.includes('$')) return text;
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) =>
    name === undefined ? '$' : (lookup(name) ?? found),
  );
}
