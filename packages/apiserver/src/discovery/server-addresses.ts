import { type ApiRequest, parseIp } from '@coracle/apimachinery';
import { type ServiceRangeOptions, serviceRanges } from '../registry/core/service-allocation/service-ranges.js';

/** The address under which clients of a network reach the server. */
export interface ServerAddressByClientCidr {
  readonly clientCIDR: string;
  readonly serverAddress: string;
}

export interface ServerAddressesOptions {
  /** `host:port` that clients of any network may use. */
  serverAddress(): string;
  readonly serviceRanges?: ServiceRangeOptions | undefined;
}

/** The port of the `kubernetes` service. */
const servicePort = 443;

/** The server addresses for a client: the public one, and for a client in the service CIDR that of the service. */
export function serverAddresses(options: ServerAddressesOptions): (request: ApiRequest) => ServerAddressByClientCidr[] {
  const [services] = serviceRanges(options.serviceRanges ?? {}).addresses;
  return (request) => {
    const everyone = { clientCIDR: '0.0.0.0/0', serverAddress: options.serverAddress() };
    const client = clientAddressOf(request);
    if (!services || client === undefined || !services.covers(client)) return [everyone];
    const host = services.family === 'IPv6' ? `[${services.at(0)}]` : services.at(0);
    return [everyone, { clientCIDR: services.text, serverAddress: `${host}:${servicePort}` }];
  };
}

/**
 * The address of a client from the headers of proxies, else that of its connection. A client can forge the headers, so
 * no decision may depend on the result.
 */
export function clientAddressOf({ headers, peer }: ApiRequest): string | undefined {
  const clientAddresses = [...(headers['x-forwarded-for'] ?? '').split(','), headers['x-real-ip'] ?? ''].map((text) =>
    text.trim(),
  );
  return [...clientAddresses, withoutMapping(peer?.address ?? '')].find((text) => parseIp(text) !== undefined);
}

/** A dual-stack socket reports IPv4 addresses as IPv6 addresses. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
