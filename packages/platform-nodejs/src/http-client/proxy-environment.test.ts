import { describe, expect, test } from 'vitest';
import { proxyFor } from './proxy-environment.js';

const proxied = (server: string, environment: NodeJS.ProcessEnv) => proxyFor(new URL(server), undefined, environment);

describe('the proxy of the environment', () => {
  test.each<[string, string, NodeJS.ProcessEnv, string | undefined]>([
    ['is for its scheme', 'https://a.example', { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://p:2' }, 'http://p:1'],
    [
      'is for plain HTTP too',
      'http://a.example',
      { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://p:2' },
      'http://p:2',
    ],
    ['may be written small', 'https://a.example', { https_proxy: 'http://p:1' }, 'http://p:1'],
    ['is HTTP unless stated', 'https://a.example', { HTTPS_PROXY: 'p.example:3128' }, 'http://p.example:3128'],
    ['may speak SOCKS', 'https://a.example', { HTTPS_PROXY: 'socks5://p:1080' }, 'socks5://p:1080'],
    ['is not for this machine', 'https://localhost:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
    ['is not for its address', 'https://127.0.0.5:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
    ['is not for its address of version 6', 'https://[::1]:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ])('%s', (_, server, environment, expected) => {
    expect(proxied(server, environment)).toBe(expected);
  });

  test.each<[string, string, boolean]>([
    ['*', 'https://a.example', true],
    ['a.example', 'https://a.example', true],
    ['a.example', 'https://b.a.example', true],
    ['a.example', 'https://ba.example', false],
    ['.a.example', 'https://b.a.example', true],
    ['.a.example', 'https://a.example', false],
    ['*.a.example', 'https://b.a.example', true],
    ['A.EXAMPLE', 'https://a.example', true],
    ['a.example:6443', 'https://a.example:6443', true],
    ['a.example:6443', 'https://a.example', false],
    ['a.example:443', 'https://a.example', true],
    ['10.0.0.1', 'https://10.0.0.1:6443', true],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/8', 'https://ten.example', false],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['fd00::/8', 'https://[fd00::1]', true],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
    [' b.example , a.example', 'https://a.example', true],
    ['', 'https://a.example', false],
  ])('NO_PROXY=%s keeps %s from it: %s', (except, server, isExcepted) => {
    const proxy = proxied(server, { HTTPS_PROXY: 'http://p:1', NO_PROXY: except });
    expect(proxy === undefined).toBe(isExcepted);
  });
});

describe('the proxy of a kubeconfig', () => {
  test('counts for every server, and before the environment', () => {
    const environment = { HTTPS_PROXY: 'http://other:1', NO_PROXY: '*' };
    expect(proxyFor(new URL('https://127.0.0.1'), 'socks5://p:1080', environment)).toBe('socks5://p:1080');
  });

  test('must have a supported scheme', () => {
    expect(() => proxyFor(new URL('https://a'), 'ftp://p', {})).toThrow(
      'unsupported scheme "ftp", must be http, https, or socks5',
    );
  });
});
