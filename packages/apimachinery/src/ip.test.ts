import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cidrContains, formatCidr, formatIp, maskedCidr, parseCidr, parseIp } from './ip.js';

describe('parseIp', () => {
  const good = [
    ['10.9.8.7', '10.9.8.7'],
    ['0.0.0.0', '0.0.0.0'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8::ffff', '2001:db8::ffff'],
    ['2001:db8:0:0:1:0:0:0', '2001:db8:0:0:1::'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
  ] as const;

  test.each(good)('reads %s and writes it as %s', (text, canonical) => {
    expect(formatIp(parseIp(text)!)).toBe(canonical);
  });

  const bad = [
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.0.0.1',
    '01.2.3.4',
    '1.2.3.4 ',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '12345::',
    'fe80::1%eth0',
    '1.2.3.4::',
  ];

  test.each(bad)('refuses "%s"', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  test('parses what it writes', () => {
    fc.assert(
      fc.property(fc.constantFrom(4, 16), fc.uint8Array({ minLength: 16, maxLength: 16 }), (length, bytes) => {
        const address = { family: length === 4 ? 4 : 6, bytes: bytes.slice(0, length) } as const;
        expect(parseIp(formatIp(address))).toEqual(address);
      }),
    );
  });
});

describe('parseCidr', () => {
  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/08', '::/129', '10.0.0.0/', 'x/8'])('refuses %s', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  test('clears the bits beyond the prefix on request', () => {
    expect(formatCidr(maskedCidr(parseCidr('10.1.2.3/9')!))).toBe('10.0.0.0/9');
    expect(formatCidr(maskedCidr(parseCidr('2001:db8::1/64')!))).toBe('2001:db8::/64');
  });

  test('contains the addresses of its own family only', () => {
    const network = parseCidr('10.1.0.0/15')!;
    const inside = ['10.0.255.255', '10.1.2.3', '10.2.0.0', '::a01:203'].map((text) =>
      cidrContains(network, parseIp(text)!),
    );
    expect(inside).toEqual([true, true, false, false]);
  });
});
