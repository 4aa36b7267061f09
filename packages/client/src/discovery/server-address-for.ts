import { cidrContains, parseCidr, parseIp } from '@coracle/apimachinery';

/** The server address for clients in a network: an entry of `serverAddressByClientCIDRs` of `/api`. */
export interface ServerAddressByClientCidr {
  readonly clientCIDR: string;
  readonly serverAddress: string;
}

/** The `host:port` for a client with this address: that of the narrowest network it is in. None if it is in none. */
export function serverAddressFor(
  clientAddress: string,
  addresses: readonly ServerAddressByClientCidr[],
): string | undefined {
  const client = parseIp(clientAddress);
  if (!client) return undefined;
  let best: { readonly prefixLength: number; readonly serverAddress: string } | undefined;
  for (const { clientCIDR, serverAddress } of addresses) {
    const cidr = parseCidr(clientCIDR);
    if (!cidr || !cidrContains(cidr, client)) continue;
    if (!best || cidr.prefixLength > best.prefixLength) best = { prefixLength: cidr.prefixLength, serverAddress };
  }
  return best?.serverAddress;
}
