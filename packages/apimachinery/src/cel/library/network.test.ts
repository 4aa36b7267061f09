import { expect, test } from 'vitest';
import { evaluated } from '../evaluate.fixture.js';

test.each([
  ['a', 'unable to parse IP'],
  ['', 'unable to parse IP'],
  ['%eth0', 'missing IPv6 address'],
  ['1.2.3', 'IPv4 address too short'],
  ['1.2.3.4.5', 'IPv4 address too long'],
  ['1.2.3.04', 'IPv4 field has octet with leading zero'],
  ['1.2.3.256', 'IPv4 field has value >255'],
  ['1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'],
  ['1.2.3.', 'IPv4 field must have at least one digit (at ".")'],
  ['1.2.3.a', 'unexpected character (at "a")'],
  ['1.2.3.4/8', 'unexpected character (at "/8")'],
  ['fe80::1%', 'zone must be a non-empty string'],
  ['1:2', 'address string too short'],
  ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
  ['1:2:3:4:5:6:7:8::', 'the :: must expand to at least one field of zeros'],
  ['::12345', 'each group must have 4 or fewer digits (at "12345")'],
  ['::g', 'each colon-separated field must have at least one digit (at "g")'],
  [':1', 'each colon-separated field must have at least one digit (at ":1")'],
  ['1:2g', 'unexpected character, want colon (at "g")'],
  ['1:', 'colon must be followed by more characters (at ":")'],
  ['1::2::3', 'multiple :: in address (at ":3")'],
  ['1:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'],
  ['::1.2.3', 'IPv4 address too short'],
])('ip("%s") reports what is wrong', (text, problem) => {
  const words = `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): ${problem}`;
  expect(evaluated(`ip(${JSON.stringify(text)})`)).toBe(words);
});

const from = 'network address parse error during conversion from string';

test.each([
  ['ip("fe80::1%eth0")', 'IP address "fe80::1%eth0" with zone value is not allowed'],
  ['ip("::ffff:1.2.3.4")', 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  ['cidr("::ffff:1.2.3.4/128")', `${from}: IPv4-mapped IPv6 address "::ffff:1.2.3.4/128" is not allowed`],
  [
    'cidr("fe80::1%a/64")',
    `${from}: ${from}: netip.ParsePrefix("fe80::1%a/64"): IPv6 zones cannot be present in a prefix`,
  ],
  ['cidr("1.2.3/8")', `${from}: ${from}: netip.ParsePrefix("1.2.3/8"): ParseAddr("1.2.3"): IPv4 address too short`],
  ['cidr("1.2.3.4/1000")', `${from}: ${from}: netip.ParsePrefix("1.2.3.4/1000"): prefix length out of range`],
  ['cidr("1.2.3.4/08")', `${from}: ${from}: netip.ParsePrefix("1.2.3.4/08"): bad bits after slash: "08"`],
])('%s', (expression, message) => {
  expect(evaluated(expression)).toBe(message);
});
