import { formatIp, parseIp } from '@coracle/apimachinery';

/** The address of a name such as `1.0.96.10.in-addr.arpa.`; `undefined` for other names. */
export function addressOfReverseName(name: string): string | undefined {
  if (name.endsWith('.in-addr.arpa.')) {
    const parts = name.slice(0, -'.in-addr.arpa.'.length).split('.');
    const address = parts.length === 4 ? parseIp(parts.reverse().join('.')) : undefined;
    return address && formatIp(address);
  }
  if (!name.endsWith('.ip6.arpa.')) return undefined;
  const digits = name.slice(0, -'.ip6.arpa.'.length).split('.').reverse();
  if (digits.length !== 32 || !digits.every((digit) => /^[0-9a-f]$/.test(digit))) return undefined;
  const address = parseIp((digits.join('').match(/..../g) ?? []).join(':'));
  return address && formatIp(address);
}

/** Whether a query is a reverse lookup. */
export function isReverseName(name: string): boolean {
  return name.endsWith('.in-addr.arpa.') || name.endsWith('.ip6.arpa.');
}
