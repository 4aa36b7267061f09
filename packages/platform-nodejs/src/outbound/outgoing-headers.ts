import type { DialAddress, OutboundRequest } from '@coracle/apiserver';

export function definedHeaders(headers: OutboundRequest['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export function hostHeader({ host, port, serverName, scheme }: DialAddress): string {
  const name = serverName ?? (host.includes(':') ? `[${host}]` : host);
  return port === (scheme === 'https' ? 443 : 80) ? name : `${name}:${port}`;
}
