/** The fields that lead to a line of YAML: `['spec', 'containers', 'image']`; places in lists are left out. */
export function yamlPathAt(text: string, line: number): string[] {
  const lines = text.split('\n');
  const path: string[] = [];
  let indent = Number.POSITIVE_INFINITY;
  for (let at = Math.min(line, lines.length - 1); at >= 0; at--) {
    const found = keyOf(lines[at] ?? '');
    if (!found || found.indent >= indent) continue;
    path.unshift(found.key);
    indent = found.indent;
    if (indent === 0) break;
  }
  return path;
}

/** The key of a line, and its indentation; the dash of a list counts as space. */
function keyOf(line: string): { readonly key: string; readonly indent: number } | undefined {
  const match = /^([\s-]*)("?)([\w./-]+)\2:(?:\s|$)/.exec(line);
  if (!match?.[3] || match[1] === undefined) return undefined;
  return { key: match[3], indent: match[1].length };
}
