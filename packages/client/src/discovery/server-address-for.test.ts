import { describe, expect, test } from 'vitest';
import { serverAddressFor } from './server-address-for.js';

const addresses = [
  { clientCIDR: '10.96.0.0/16', serverAddress: 'services' },
  { clientCIDR: '0.0.0.0/0', serverAddress: 'everyone' },
  { clientCIDR: '10.96.7.0/24', serverAddress: 'corner' },
  { clientCIDR: '10.0.0.0/8', serverAddress: 'private' },
  { clientCIDR: 'fd00::/8', serverAddress: 'six' },
  { clientCIDR: 'nonsense', serverAddress: 'never' },
];

describe('DI-4 a client takes the address of the narrowest network that it is in', () => {
  test.each([
    ['10.96.7.9', 'corner'],
    ['10.96.8.9', 'services'],
    ['10.1.1.1', 'private'],
    ['192.0.2.1', 'everyone'],
    ['fd00::1', 'six'],
    ['2001:db8::1', undefined],
    ['nobody', undefined],
  ])('%s: %s', (client, address) => {
    expect(serverAddressFor(client, addresses)).toBe(address);
    expect(serverAddressFor(client, addresses.toReversed())).toBe(address);
  });
});
