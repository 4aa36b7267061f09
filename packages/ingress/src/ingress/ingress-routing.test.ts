import { describe, expect, test } from 'vitest';
import { backend, ingress, outcome, plan, request, service, tlsSecret } from '../ingress.fixture.js';

const services = ['a', 'b', 'c', 'd'].map((name) => service(name));

test.each<[string, Parameters<typeof ingress>[1], Record<string, string>]>([
  [
    'a prefix counts in whole elements',
    { '/foo': 'a' },
    { '/foo': 'a', '/foo/': 'a', '/foo/x': 'a', '/foobar': '404', '/': '404' },
  ],
  ['a trailing slash of a prefix is ignored', { '/foo/': 'a' }, { '/foo': 'a', '/foo/': 'a', '/foo/x': 'a' }],
  ['the prefix / is everything', { '/': 'a' }, { '/': 'a', '/x/y': 'a' }],
  ['an exact path is exact', { '/foo$': 'a' }, { '/foo': 'a', '/foo/': '404', '/Foo': '404' }],
  ['the longest prefix wins', { '/': 'a', '/x': 'b', '/x/y': 'c' }, { '/z': 'a', '/x/z': 'b', '/x/y/z': 'c' }],
  ['exact goes before a prefix of the same length', { '/x': 'a', '/x$': 'b' }, { '/x': 'b', '/x/y': 'a' }],
])('%s', (_, paths, expected) => {
  const { table } = plan({ services, ingresses: [ingress('i', paths)] });
  for (const [path, target] of Object.entries(expected))
    expect([path, outcome(table, request(`http://h${path}`))]).toEqual([path, target]);
});

test('hosts: a name goes before a wildcard, which stands for one label, and both before every host', () => {
  const ingresses = [ingress('i', { 'foo.com/': 'a', '*.foo.com/': 'b', '/': 'c' })];
  const { table } = plan({ services, ingresses });
  const to = (host: string) => outcome(table, request('http://h/', { authority: host }));
  expect(['foo.com', 'FOO.com:8080', 'foo.com.', 'x.foo.com', 'x.y.foo.com', 'bar.com'].map(to)).toEqual([
    'a',
    'a',
    'a',
    'b',
    'c',
    'c',
  ]);
});

describe('a default backend serves what no rule matches', () => {
  const own = ingress('own', { 'foo.com/x': 'a' }, { defaultBackend: backend('b') as object });
  const other = ingress('other', { 'bar.com/x': 'a' });
  const every = ingress('z-every', {}, { defaultBackend: backend('c') as object });
  const urls = ['http://foo.com/x', 'http://foo.com/y', 'http://bar.com/y', 'http://baz.com/'];

  test.each([
    ['of its own hosts and of all others', [own, other], ['a', 'b', 'b', 'b']],
    [
      'of its own hosts; of others that of an Ingress without rules goes first',
      [own, other, every],
      ['a', 'b', 'c', 'c'],
    ],
    [
      'of every host with a rule for it, as without rules, by age and name',
      [ingress('any', { '/x': 'a' }, { defaultBackend: backend('d') as object }), own, every],
      ['a', 'b', 'd', 'd'],
    ],
  ])('%s', (_name, ingresses, expected) => {
    const { table } = plan({ services, ingresses });
    expect(urls.map((url) => outcome(table, request(url)))).toEqual(expected);
  });
});

test('a rule of every host goes before the default backend of one', () => {
  const own = ingress('own', { 'foo.com/x': 'a' }, { defaultBackend: backend('b') as object });
  const { table } = plan({ services, ingresses: [own, ingress('any', { '/y': 'c' })] });
  expect(outcome(table, request('http://foo.com/y'))).toBe('c');
});

test('of two ingresses with the same path the older one wins, then the name', () => {
  const young = ingress('a', { '/': 'a' });
  const old = {
    ...ingress('z', { '/': 'b' }),
    metadata: { name: 'z', namespace: 'default', creationTimestamp: '2020-01-01T00:00:00Z' },
  };
  expect(outcome(plan({ services, ingresses: [young, old] }).table, request('http://h/'))).toBe('b');
  expect(outcome(plan({ services, ingresses: [ingress('z', { '/': 'b' }), young] }).table, request('http://h/'))).toBe(
    'a',
  );
});

test('only ingresses of a class of this controller are served', () => {
  const annotated = { ...ingress('old', { '/old': 'b' }), spec: { ...ingress('', { '/old': 'b' }).spec } };
  delete annotated.spec.ingressClassName;
  annotated.metadata = { ...annotated.metadata, annotations: { 'kubernetes.io/ingress.class': 'coracle' } };
  const none = ingress('none', { '/none': 'c' });
  delete none.spec?.ingressClassName;
  const other = ingress('other', { '/other': 'd' }, { ingressClassName: 'nginx' });
  const { table, ingresses } = plan({ services, ingresses: [annotated, none, other] });
  expect(ingresses.map(({ metadata }) => metadata.name)).toEqual(['old']);
  expect(['/old', '/none', '/other'].map((path) => outcome(table, request(`http://h${path}`)))).toEqual([
    'b',
    '404',
    '404',
  ]);
});

test('a service or a port that is not there is answered with 503', () => {
  const named = ingress('i', { '/': 'gone' });
  expect(outcome(plan({ services, ingresses: [named] }).table, request('http://h/'))).toBe('503');
  const port = ingress('i', {}, { defaultBackend: { service: { name: 'a', port: { name: 'grpc' } } } });
  expect(outcome(plan({ services, ingresses: [port] }).table, request('http://h/'))).toBe('503');
  const elsewhere = plan({
    services: [service('x', { type: 'ExternalName' })],
    ingresses: [ingress('i', { '/': 'x' })],
  });
  expect(outcome(elsewhere.table, request('http://h/'))).toBe('503');
});

test('certificates by the name that the client requests', () => {
  const tls = [
    { hosts: ['foo.com', '*.bar.com'], secretName: 'foo' },
    { secretName: 'any' },
    { hosts: ['x.com'], secretName: 'gone' },
  ];
  const { table } = plan({
    services,
    ingresses: [ingress('i', { '/': 'a' }, { tls })],
    secrets: [tlsSecret('foo'), tlsSecret('any')],
  });
  const shown = (name: string) =>
    table.certificatesFor(443, name).map(({ certificate }) => certificate.split('-----').at(-1));
  expect(['foo.com', 'x.bar.com', 'x.com', ''].map(shown)).toEqual([['foo'], ['foo'], ['any'], ['any']]);
  expect(table.ports).toEqual([
    { port: 80, tls: false },
    { port: 443, tls: true },
  ]);
  expect(outcome(table, request('https://foo.com/'))).toBe('a');
  expect(plan({ services, ingresses: [ingress('i', { '/': 'a' })] }).table.ports).toEqual([{ port: 80, tls: false }]);
  expect(plan({ services }).table.ports).toEqual([]);
});
