import { FieldPath } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { canonicalIpProblems, checkCidr, checkIp, checkLegacyCidr, checkNonSpecialIp } from './ip-checks.js';

const path = FieldPath.of('ip');
const words = (errors: readonly { readonly body: string }[]) => errors.map(({ body }) => body.replace(/^.*": /, ''));

test.each([
  ['10.0.0.1', []],
  ['0.0.0.0', ['may not be unspecified (0.0.0.0 or ::)']],
  ['127.0.0.9', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
  ['::1', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
  ['fe80::1', ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']],
  ['224.0.0.1', ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)']],
  ['x', ['must be a valid IP address']],
])('%s is an address that others can reach, or not', (address, want) => {
  expect(words(checkNonSpecialIp(path, address))).toEqual(want);
});

test('older fields take a range with any address in it, newer ones its first', () => {
  expect(checkLegacyCidr(path, '10.0.0.1/8')).toEqual([]);
  expect(words(checkCidr(path, '10.0.0.1/8'))).toEqual(['must not have bits set beyond the prefix length']);
  expect(checkCidr(path, '10.0.0.0/8')).toEqual([]);
});

test('an address has one form', () => {
  expect(words(checkIp(path, '::ffff:1.2.3.4'))).toEqual(['must not be an IPv4-mapped IPv6 address']);
  expect(canonicalIpProblems('2001:0db8::1')).toEqual(['must be in canonical form ("2001:db8::1")']);
});
