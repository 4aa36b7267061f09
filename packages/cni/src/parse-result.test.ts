import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CniError } from './cni-error.js';
import { parseResult } from './parse-result.js';
import { formatResult } from './result-versions.js';
import { supportedVersions } from './versions.js';

const result = {
  interfaces: [{ name: 'br' }, { name: 'eth0', sandbox: '/ns', mac: '0a:58:0a:00:00:02' }],
  ips: [
    { address: '10.0.0.2/24', gateway: '10.0.0.1', interface: 1 },
    { address: 'fd00::2/64', gateway: 'fd00::1', interface: 1 },
  ],
  routes: [
    { dst: '0.0.0.0/0', gw: '10.0.0.1' },
    { dst: '::/0', gw: 'fd00::1' },
  ],
  dns: { nameservers: ['10.96.0.10'], search: ['a'] },
};

test.each(supportedVersions)('a result of version %s is read as it was written', (version) => {
  const read = parseResult(formatResult(result, version));
  expect(read.ips?.map(({ address, gateway }) => ({ address, gateway }))).toEqual(
    result.ips.map(({ address, gateway }) => ({ address, gateway })),
  );
  expect(read.routes).toEqual(result.routes);
  expect(read.dns).toEqual(result.dns);
});

test('addresses say their family in versions before 1.0.0 alone', () => {
  expect(formatResult(result, '0.4.0')['ips']).toMatchObject([{ version: '4' }, { version: '6' }]);
  expect(JSON.stringify(formatResult(result, '1.0.0'))).not.toContain('version":"4"');
});

test.each([
  ['no object', 'x', /not a JSON object/],
  ['an unknown version', { cniVersion: '9.9.9' }, /incompatible/],
  ['a list that is none', { cniVersion: '1.0.0', ips: {} }, /ips is not a list/],
  ['an address without a prefix', { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2' }] }, /invalid CIDR/],
  [
    'an interface that is not there',
    { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/8', interface: 3 }] },
    /interface 3/,
  ],
  ['a gateway that is none', { cniVersion: '1.0.0', routes: [{ dst: '0.0.0.0/0', gw: 'x' }] }, /invalid gateway/],
  ['endless lists', { cniVersion: '1.0.0', ips: new Array(5000).fill({ address: '10.0.0.2/8' }) }, /more than 1024/],
])('refuses %s', (_, value, message) => {
  expect(() => parseResult(value)).toThrow(message);
});

test('any output of a plugin is a result or a CNI error', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(...supportedVersions), (text, version) => {
      const value = JSON.parse(text);
      try {
        parseResult(value && typeof value === 'object' ? { ...value, cniVersion: version } : value);
      } catch (error) {
        expect(error).toBeInstanceOf(CniError);
      }
    }),
  );
});
