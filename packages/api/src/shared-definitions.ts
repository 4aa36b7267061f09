/** The definitions of one API version, by name: those named in `shared` are equal in another version of the group. */
export function withDefinitionsOf(
  other: Readonly<Record<string, string>>,
  shared: string,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(own);
  for (const name of shared.split(' ')) entries.push([name, other[name] as string]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
