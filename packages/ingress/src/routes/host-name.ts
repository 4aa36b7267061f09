/** A host as clients send it, without its port, in lower case and without a trailing dot. */
export function hostNameOf(authority: string): string {
  const host = authority.startsWith('[')
    ? authority.slice(0, authority.indexOf(']') + 1)
    : authority.replace(/:\d*$/, '');
  return host.toLowerCase().replace(/\.$/, '');
}

/** Whether a pattern (a name, `*.suffix`, or empty for every host) covers a host; a wildcard stands for one label or more. */
function coversHost(pattern: string, host: string): boolean {
  if (pattern === '') return true;
  if (!pattern.startsWith('*.')) return pattern === host;
  return host.length > pattern.length - 1 && host.endsWith(pattern.slice(1));
}

/** The narrower of two patterns if one covers the other; `undefined` if no host is in both. */
export function intersectHosts(a: string, b: string): string | undefined {
  if (a === '' || a === b) return b;
  if (b === '') return a;
  if (a.startsWith('*.') && coversHost(a, b)) return b;
  if (b.startsWith('*.') && coversHost(b, a)) return a;
  return undefined;
}

/** Sorts patterns that cover one host: names before wildcards, longer before shorter, every host last. */
export function compareHosts(a: string, b: string): number {
  const wild = Number(a.startsWith('*.') || a === '') - Number(b.startsWith('*.') || b === '');
  return wild || b.length - a.length;
}

/** The patterns that cover a host, the narrowest first. */
export function patternsFor(host: string): string[] {
  const patterns = [host];
  for (let at = host.indexOf('.'); at >= 0; at = host.indexOf('.', at + 1)) patterns.push(`*${host.slice(at)}`);
  return host === '' ? [''] : [...patterns, ''];
}
