import type { DialAddress, OutboundTls } from './dialer.js';

/** The destination of a request: a URL, or a service, which is reached at one of its endpoints. */
export type Destination = UrlDestination | ServiceDestination;

export interface UrlDestination {
  readonly kind: 'url';
  /** `https://host:port/path`; the path of a request is appended to that of the URL. */
  readonly url: string;
  readonly tls?: OutboundTls;
}

export interface ServiceDestination {
  readonly kind: 'service';
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** `https` unless stated. */
  readonly scheme?: DialAddress['scheme'];
  readonly tls?: OutboundTls;
}

/** The destination as a URL, for messages: `https://web.default.svc:443`. */
export function urlOf(destination: Destination): string {
  if (destination.kind === 'url') return destination.url;
  const { scheme = 'https', port } = destination;
  return `${scheme}://${serviceHost(destination)}:${port}`;
}

export function serviceHost({ name, namespace }: Pick<ServiceDestination, 'name' | 'namespace'>): string {
  return `${name}.${namespace}.svc`;
}
