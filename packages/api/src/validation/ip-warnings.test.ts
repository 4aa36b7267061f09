import { describe, expect, test } from 'vitest';
import { cidrWarnings, ipWarnings } from './ip-warnings.js';

describe('addresses that programs may read in different ways', () => {
  test.each([
    { name: 'are none of IPv4', text: '10.0.0.1', warnings: [] },
    { name: 'are none in the usual form', text: '2001:db8::1', warnings: [] },
    { name: 'are for validation when they are no addresses', text: '10.0.0', warnings: [] },
    {
      name: 'have a usual form',
      text: '2001:DB8:0::1',
      warnings: ['at: IPv6 address "2001:DB8:0::1" should be in RFC 5952 canonical format ("2001:db8::1")'],
    },
    {
      name: 'are of both families',
      text: '::ffff:10.0.0.1',
      warnings: ['at: IPv4-mapped IPv6 address "::ffff:10.0.0.1" should not be used'],
    },
  ])('$name: $text', ({ text, warnings }) => {
    expect(ipWarnings('at', text)).toEqual(warnings);
  });
});

describe('networks that programs may read in different ways', () => {
  test.each([
    { name: 'are none that end where their mask does', text: '10.0.0.0/8', warnings: [] },
    { name: 'are for validation when they are no networks', text: '10.0.0.0', warnings: [] },
    {
      name: 'may be a network, or an address in it',
      text: '10.1.2.3/8',
      warnings: ['at: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)'],
    },
    {
      name: 'have a usual form',
      text: '2001:DB8::/32',
      warnings: ['at: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")'],
    },
  ])('$name: $text', ({ text, warnings }) => {
    expect(cidrWarnings('at', text)).toEqual(warnings);
  });
});
