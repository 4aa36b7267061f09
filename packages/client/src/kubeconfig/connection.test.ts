import { describe, expect, test } from 'vitest';
import { type ConnectionOverrides, connectionOf } from './connection.js';
import { impersonationHeaders } from './impersonation-headers.js';
import type { Kubeconfig } from './kubeconfig.js';
import { mergeKubeconfigs } from './merge-kubeconfigs.js';
import { parseKubeconfig, resolveFiles } from './parse-kubeconfig.js';

const text = `
apiVersion: v1
kind: Config
current-context: shop
clusters:
- name: east
  cluster:
    server: https://east.example:6443/
    certificate-authority-data: ${btoa('EAST CA')}
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
- name: dev
  cluster: { server: localhost:8080 }
- name: odd
  cluster: { server: https://odd, certificate-authority: ca.crt, insecure-skip-tls-verify: true }
users:
- name: alice
  user:
    client-certificate: certs/alice.crt
    client-key-data: ${btoa('ALICE KEY')}
- name: bob
  user: { token: t0ken, as: carol, as-groups: [devs], as-user-extra: { reason: [support] } }
- name: plug
  user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, interactiveMode: Never } }
contexts:
- { name: shop, context: { cluster: east, user: alice, namespace: shop } }
- { name: bob, context: { cluster: east, user: bob } }
- { name: dev, context: { cluster: dev, user: "" } }
- { name: odd, context: { cluster: odd, user: bob } }
- { name: broken, context: { cluster: nowhere, user: bob } }
`;

const config = resolveFiles(parseKubeconfig(text), (path) => `/home/me/.kube/${path}`);

describe('connectionOf', () => {
  test('CF-2 CF-3 CF-4 takes the current context with its cluster, user and namespace', () => {
    expect(connectionOf(config)).toEqual({
      server: 'https://east.example:6443',
      certificateAuthority: { data: 'EAST CA' },
      tlsServerName: 'kubernetes',
      proxyUrl: 'http://proxy:3128',
      credentials: { clientCertificate: { file: '/home/me/.kube/certs/alice.crt' }, clientKey: { data: 'ALICE KEY' } },
      namespace: 'shop',
    });
  });

  const cases: { name: string; overrides: ConnectionOverrides; has: object }[] = [
    {
      name: 'CF-10 a server without a scheme is plain HTTP',
      overrides: { context: 'dev' },
      has: { server: 'http://localhost:8080', credentials: {} },
    },
    {
      name: 'another context',
      overrides: { context: 'bob' },
      has: { credentials: { token: 't0ken' }, namespace: 'default' },
    },
    {
      name: 'impersonation from the file',
      overrides: { context: 'bob' },
      has: { impersonate: { user: 'carol', groups: ['devs'], extra: { reason: ['support'] } } },
    },
    { name: 'CF-6 the flag beats the file', overrides: { server: 'https://other' }, has: { server: 'https://other' } },
    {
      name: 'a token instead of what the file has',
      overrides: { context: 'bob', token: 'x' },
      has: { credentials: { token: 'x' } },
    },
    {
      name: 'another user in the same context',
      overrides: { user: 'bob' },
      has: { credentials: { token: 't0ken' }, namespace: 'shop' },
    },
    {
      name: 'a name and a password',
      overrides: { username: 'u', password: 'p' },
      has: { credentials: expect.objectContaining({ basic: { username: 'u', password: 'p' } }) },
    },
    {
      name: 'no verification when the flag says so, whatever authority the file names',
      overrides: { insecureSkipTlsVerify: true },
      has: { insecureSkipTlsVerify: true },
    },
    {
      name: 'a program by a path relative to the file',
      overrides: { user: 'plug' },
      has: { credentials: { exec: expect.objectContaining({ command: '/home/me/.kube/./bin/login' }) } },
    },
  ];

  test.each(cases)('$name', ({ overrides, has }) => {
    expect(connectionOf(config, overrides)).toMatchObject(has);
  });

  test.each([
    { context: 'none', says: 'context "none" does not exist' },
    { context: 'broken', says: 'cluster "nowhere" does not exist' },
    { context: 'odd', says: 'root certificates file with the insecure flag' },
  ])('reports the error in context $context', ({ context, says }) => {
    expect(() => connectionOf(config, { context })).toThrow(says);
  });

  test('an empty configuration has no server', () => {
    expect(() => connectionOf({})).toThrow('no server found');
  });
});

test('CF-9 of several files the first one that says something counts', () => {
  const first: Kubeconfig = { clusters: [{ name: 'a', cluster: { server: 'https://1' } }] };
  const second: Kubeconfig = {
    'current-context': 'x',
    clusters: [
      { name: 'a', cluster: { server: 'https://2' } },
      { name: 'b', cluster: { server: 'https://3' } },
    ],
  };
  const merged = mergeKubeconfigs([first, second, { 'current-context': 'y' }]);
  expect({
    current: merged['current-context'],
    servers: merged.clusters?.map(({ cluster }) => cluster.server),
  }).toEqual({
    current: 'x',
    servers: ['https://1', 'https://3'],
  });
});

test.each([
  { text: '[]', says: 'mapping' },
  { text: 'kind: Pod', says: 'kind "Pod"' },
  { text: 'clusters: 3', says: 'must be a list' },
  { text: 'users: [{ name: x }]', says: 'a name and a user' },
])('refuses $text', ({ text, says }) => {
  expect(() => parseKubeconfig(text)).toThrow(says);
});

test('impersonation takes one header for each group and escapes the names of extras', () => {
  expect(
    impersonationHeaders({ user: 'u', uid: '7', groups: ['a', 'b'], extra: { 'acme.io/why not': ['x'] } }),
  ).toEqual({
    'impersonate-user': 'u',
    'impersonate-uid': '7',
    'impersonate-group': ['a', 'b'],
    'impersonate-extra-acme.io%2Fwhy%20not': ['x'],
  });
});
