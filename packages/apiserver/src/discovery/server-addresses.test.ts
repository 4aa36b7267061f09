import type { ApiRequest } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { clientAddressOf, serverAddresses } from './server-addresses.js';

const from = (headers: ApiRequest['headers'], address?: string): ApiRequest => ({
  method: 'GET',
  path: '/api',
  query: '',
  headers,
  ...(address !== undefined && { peer: { address } }),
});

describe('DI-4 the address of a client', () => {
  test.each([
    {
      name: 'the first that proxies forwarded',
      headers: { 'x-forwarded-for': '10.0.0.1, 10.0.0.2', 'x-real-ip': '10.0.0.3' },
      address: '10.0.0.4',
      client: '10.0.0.1',
    },
    {
      name: 'the first forwarded one that is an address',
      headers: { 'x-forwarded-for': 'unknown, fd00::1' },
      address: '10.0.0.4',
      client: 'fd00::1',
    },
    { name: 'the real one', headers: { 'x-real-ip': '10.0.0.3' }, address: '10.0.0.4', client: '10.0.0.3' },
    { name: 'that of the connection', headers: { 'x-real-ip': 'nobody' }, address: '10.0.0.4', client: '10.0.0.4' },
    { name: 'an IPv4-mapped IPv6 address', headers: {}, address: '::ffff:10.0.0.4', client: '10.0.0.4' },
    { name: 'nothing for a caller in this process', headers: {}, client: undefined },
  ])('is $name', ({ headers, address, client }) => {
    expect(clientAddressOf(from(headers, address))).toBe(client);
  });
});

describe('DI-4 a client receives', () => {
  const everyone = { clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.1:6443' };
  const addresses = (...clusterIpRanges: string[]) =>
    serverAddresses({ serverAddress: () => '192.0.2.1:6443', serviceRanges: { clusterIpRanges } });

  test.each([
    { name: 'the address for everyone', client: '172.16.0.1', range: '10.96.0.0/16', byClientCidr: [everyone] },
    {
      name: 'that of the service too if it is among the services',
      client: '10.96.4.4',
      range: '10.96.0.0/16',
      byClientCidr: [everyone, { clientCIDR: '10.96.0.0/16', serverAddress: '10.96.0.1:443' }],
    },
    {
      name: 'the same over IPv6',
      client: 'fd00::4',
      range: 'fd00::/112',
      byClientCidr: [everyone, { clientCIDR: 'fd00::/112', serverAddress: '[fd00::1]:443' }],
    },
  ])('$name', ({ client, range, byClientCidr }) => {
    expect(addresses(range)(from({}, client))).toEqual(byClientCidr);
  });
});
