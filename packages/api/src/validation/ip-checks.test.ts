import { FieldPath } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { canonicalIpProblems, checkCidr, checkInterfaceAddress, checkIp, checkNonSpecialIp } from './ip-checks.js';

const path = FieldPath.of('ip');
const words = (errors: readonly { readonly body: string }[]) => errors.map(({ body }) => body.replace(/^.*": /, ''));

test.each([
  ['10.0.0.1', []],
  ['0.0.0.0', ['may not be unspecified (0.0.0.0)']],
  ['127.0.0.9', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
  ['::1', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
  ['fe80::1', ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']],
  ['224.0.0.1', ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)']],
  ['x', ['must be a valid IP address']],
])('%s is an address that others can reach, or not', (address, want) => {
  expect(words(checkNonSpecialIp(path, address))).toEqual(want);
});

test.each([
  ['10.0.0.0/8', []],
  ['10.0.0.1/8', ['must not have bits set beyond the prefix length']],
  ['010.0.0.0/8', ['must not have leading 0s in IP or prefix length']],
  ['::ffff:10.0.0.0/104', ['must not have an IPv4-mapped IPv6 address']],
  ['x', ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']],
])('%s is a range, or not', (range, want) => {
  expect(words(checkCidr(path, range))).toEqual(want);
});

test.each([
  ['10.9.8.7/24', []],
  ['2001:db8::1/64', []],
  ['010.9.8.7/24', ['must be in canonical form ("10.9.8.7/24")']],
  ['2001:0db8::1/64', ['must be in canonical form ("2001:db8::1/64")']],
  ['::ffff:10.9.8.7/120', ['must be in canonical form ("10.9.8.7/24")']],
  ['10.9.8.7', ['must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)']],
])('%s is an address of an interface, or not', (address, want) => {
  expect(words(checkInterfaceAddress(path, address))).toEqual(want);
});

test('an address has one form', () => {
  expect(words(checkIp(path, '010.0.0.1'))).toEqual(['must not have leading 0s']);
  expect(words(checkIp(path, '::ffff:1.2.3.4'))).toEqual(['must not be an IPv4-mapped IPv6 address']);
  expect(canonicalIpProblems('2001:0db8::1')).toEqual(['must be in canonical form ("2001:db8::1")']);
});
