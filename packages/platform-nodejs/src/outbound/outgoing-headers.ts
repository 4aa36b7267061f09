import type { DialAddress, OutboundRequest } from '@coracle/apiserver';

export function definedHeaders(headers: OutboundRequest['headers']): Record<string, string | string[]> {
  const defined: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) defined[name] = typeof value === 'string' ? value : [...value];
  return defined;
}

export function hostHeader({ host, port, serverName, scheme }: DialAddress): string {
  const name = serverName ?? (host.includes(':') ? `[${host}]` : host);
  return port === (scheme === 'https' ? 443 : 80) ? name : `${name}:${port}`;
}
