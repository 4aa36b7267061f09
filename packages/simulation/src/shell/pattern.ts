/** The regular expression of a shell pattern: `*`, `?` and `[a-z]`, where they are not quoted. */
export function patternOf(
  pieces: readonly { readonly text: string; readonly quoted: boolean }[],
  any = '[\\s\\S]',
): RegExp {
  const source = pieces.map(({ text, quoted }) => (quoted ? escaped(text) : sourceOf(text, any)));
  return new RegExp(`^${source.join('')}$`);
}

function sourceOf(text: string, any: string): string {
  return text.replace(/\[!?[^\]]+\]|[\s\S]/g, (found) => {
    if (found === '*') return `${any}*`;
    if (found === '?') return any;
    if (found.length > 1 && found.startsWith('[')) return found.replace(/^\[!/, '[^').replace(/\\/g, '\\\\');
    return escaped(found);
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
