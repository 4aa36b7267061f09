/** One of several documents in a text, and the line that it begins in. */
export interface YamlDocumentText {
  readonly text: string;
  readonly line: number;
}

/** The document that a line is in. */
export function documentAt(text: string, line: number): YamlDocumentText {
  const lines = text.split('\n');
  let start = Math.min(line, lines.length - 1);
  while (start > 0 && !isBreak(lines[start] ?? '')) start--;
  let end = start + 1;
  while (end < lines.length && !isBreak(lines[end] ?? '')) end++;
  if (isBreak(lines[start] ?? '')) start++;
  return { text: lines.slice(start, end).join('\n'), line: start };
}

function isBreak(line: string): boolean {
  return /^---(?:\s|$)/.test(line);
}

/** What a document says that it is, however incomplete the rest of it is. */
export function kindIn(text: string): { readonly apiVersion: string; readonly kind: string } | undefined {
  const value = (name: string) => new RegExp(`^${name}:\\s*["']?([\\w./-]+)`, 'm').exec(text)?.[1];
  const [apiVersion, kind] = [value('apiVersion'), value('kind')];
  return apiVersion && kind ? { apiVersion, kind } : undefined;
}

/** What a new object begins with. */
export function starterFor(
  { group, version, kind, namespaced }: { group: string; version: string; kind: string; namespaced: boolean },
  namespace: string,
): string {
  const apiVersion = group ? `${group}/${version}` : version;
  const scope = namespaced ? `  namespace: ${namespace}\n` : '';
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: \n${scope}`;
}
