import { expect, test } from 'vitest';
import { type Kubeconfig, kubeconfig } from './kubeconfig.js';

const config: Kubeconfig = {
  clusters: [{ name: 'c', cluster: { server: 'https://c.test', 'certificate-authority-data': 'Yw==' } }],
  users: [{ name: 'u', user: { token: 'secret' } }],
  contexts: [
    { name: 'x', context: { cluster: 'c', user: 'u' } },
    { name: 'y', context: { cluster: 'c', user: 'u', namespace: 'n' } },
  ],
  'current-context': 'x',
};

test('entries are read, set and removed, and the configuration that was given stays as it was', () => {
  expect(kubeconfig.names(config, 'contexts')).toEqual(['x', 'y']);
  const changed = kubeconfig.set(config, 'contexts', 'y', { namespace: undefined, user: 'v' });
  expect(kubeconfig.entry(changed, 'contexts', 'y')).toEqual({ cluster: 'c', user: 'v' });
  expect(kubeconfig.names(kubeconfig.set(config, 'clusters', 'a', { server: 'a' }), 'clusters')).toEqual(['a', 'c']);
  expect(kubeconfig.names(kubeconfig.remove(config, 'users', 'u'), 'users')).toEqual([]);
  expect(() => kubeconfig.remove(config, 'users', 'w')).toThrow('users have no "w"');
  expect(kubeconfig.entry(config, 'contexts', 'y')).toEqual({ cluster: 'c', user: 'u', namespace: 'n' });
});

test('contexts are used and renamed', () => {
  expect(kubeconfig.useContext(config, 'y')['current-context']).toBe('y');
  expect(() => kubeconfig.useContext(config, 'z')).toThrow('no context exists with the name: "z"');
  const renamed = kubeconfig.renameContext(config, 'x', 'z');
  expect([renamed['current-context'], kubeconfig.names(renamed, 'contexts')]).toEqual(['z', ['y', 'z']]);
  expect(() => kubeconfig.renameContext(config, 'x', 'y')).toThrow('the context "y" already exists');
  expect(() => kubeconfig.renameContext(config, 'q', 'z')).toThrow('it is not there');
});

test('the view leaves out secrets unless it is raw, and with minify what the context does not use', () => {
  expect(kubeconfig.view(config)).toMatchObject({
    clusters: [{ cluster: { 'certificate-authority-data': 'DATA+OMITTED' } }],
    users: [{ user: { token: 'REDACTED' } }],
  });
  expect(kubeconfig.view(config, { raw: true })).toMatchObject({ users: [{ user: { token: 'secret' } }] });
  expect(kubeconfig.view(config, { minify: true })).toMatchObject({ contexts: [{ name: 'x' }] });
});

test('of several configurations the first that says something counts', () => {
  const other: Kubeconfig = { users: [{ name: 'u', user: { token: 'other' } }], 'current-context': 'y' };
  const merged = kubeconfig.merge([config, other]);
  expect([merged['current-context'], kubeconfig.entry(merged, 'users', 'u')]).toEqual(['x', { token: 'secret' }]);
});
