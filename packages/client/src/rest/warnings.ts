/** The texts of `Warning` headers: `299 - "text"`, several in one header divided by commas. */
export function warningsOf(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const texts: string[] = [];
  for (const line of typeof header === 'string' ? [header] : header) {
    for (const [, quoted = ''] of line.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)) {
      texts.push(quoted.replace(/\\(.)/g, '$1'));
    }
  }
  return texts;
}
