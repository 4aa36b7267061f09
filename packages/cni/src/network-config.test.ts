import { expect, test } from 'vitest';
import { chooseNetwork } from './choose-network.js';
import { parseNetworkConfig } from './network-config.js';

const chain = (more: object) => JSON.stringify({ cniVersion: '1.0.0', name: 'n', plugins: [{ type: 'a' }], ...more });

test.each([
  ['a chain', '10-a.conflist', chain({}), { name: 'n', cniVersion: '1.0.0', plugins: [{ type: 'a' }] }],
  ['a single plugin', 'a.conf', '{"name":"n","type":"a","x":1}', { cniVersion: '0.1.0', plugins: [{ x: 1 }] }],
  [
    'the newest known version',
    'a.conflist',
    chain({ cniVersions: ['0.4.0', '1.1.0', '9.0.0'] }),
    { cniVersion: '1.1.0' },
  ],
  ['a flag written as text', 'a.conflist', chain({ disableCheck: 'true' }), { disableCheck: true }],
])('reads %s', (_, file, text, expected) => {
  expect(parseNetworkConfig(text, file)).toMatchObject(expected);
});

test.each([
  ['broken JSON', 'a.conf', '{', /^a\.conf: error parsing configuration/],
  ['no object', 'a.conf', '[]', /not a JSON object/],
  ['no type', 'a.conf', '{"name":"n"}', /missing 'type'/],
  ['no name', 'a.conf', '{"type":"a"}', /missing 'name'/],
  ['a name that is a path', 'a.conf', '{"type":"a","name":"../n"}', /invalid network name/],
  ['a type that is a path', 'a.conf', '{"type":"../a","name":"n"}', /invalid plugin type/],
  ['no plugins', 'a.conflist', '{"name":"n"}', /no 'plugins' key/],
  ['an empty chain', 'a.conflist', chain({ plugins: [] }), /no plugins in list/],
  ['an unknown version', 'a.conflist', chain({ cniVersion: '7.0.0' }), /incompatible CNI versions/],
  ['a flag that is none', 'a.conflist', chain({ disableGC: 'maybe' }), /'disableGC' is not a boolean/],
])('refuses %s', (_, file, text, message) => {
  expect(() => parseNetworkConfig(text, file)).toThrow(message);
});

test('the first valid file in lexical order is the network', () => {
  const files = [
    { name: '30-c.conflist', text: chain({ name: 'c' }) },
    { name: '20-b.conflist', text: chain({ name: 'b', plugins: [{ type: 'missing' }] }) },
    { name: '10-a.conf', text: '{' },
    { name: '00-readme.txt', text: chain({ name: 'readme' }) },
  ];
  const choice = chooseNetwork(files, (type) => type !== 'missing');
  expect(choice.network?.name).toBe('c');
  expect(choice.problems).toHaveLength(2);
  expect(chooseNetwork([], () => true).problems).toEqual(['no valid networks found']);
});
