import { parseIp } from '@coracle/apimachinery';

export interface ResolverConfig {
  readonly nameservers: readonly string[];
  readonly search: readonly string[];
}

/** Parses a file such as `/etc/resolv.conf`. Unknown lines are ignored. */
export function parseResolverConfig(text: string): ResolverConfig {
  const nameservers: string[] = [];
  let search: string[] = [];
  for (const line of text.split('\n')) {
    const [word, ...rest] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    const [first = ''] = rest;
    if (word === 'nameserver' && parseIp(first.replace(/%.*/, ''))) nameservers.push(first);
    if (word === 'search' || word === 'domain') search = rest;
  }
  return { nameservers, search };
}
