import { describe, expect, test } from 'vitest';
import {
  gateway,
  httpListener,
  httpRoute,
  ingress,
  outcome,
  plan,
  request,
  service,
  tlsSecret,
} from '../ingress.fixture.js';
import { decide } from '../requests/decide.js';
import type { HttpMatch, HttpRule } from './gateway-types.js';

const services = ['a', 'b', 'c', 'd'].map((name) => service(name));
const to = (name: string, more = {}) => ({ name, port: 80, ...more });
const rule = (matches: HttpMatch[], name: string): HttpRule => ({ matches, backendRefs: [to(name)] });
const prefix = (value: string): HttpMatch => ({ path: { type: 'PathPrefix', value } });
const exact = (value: string): HttpMatch => ({ path: { type: 'Exact', value } });
const gw = gateway('gw', [httpListener()]);
const tableOf = (...rules: HttpRule[]) => plan({ services, gateways: [gw], routes: [httpRoute('r', { rules })] }).table;

describe('matches and their precedence', () => {
  test.each<[string, HttpRule[], Parameters<typeof request>[], string[]]>([
    [
      'exact before prefix',
      [rule([prefix('/x')], 'a'), rule([exact('/x')], 'b')],
      [['http://h/x'], ['http://h/x/y']],
      ['b', 'a'],
    ],
    [
      'the longer prefix',
      [rule([prefix('/')], 'a'), rule([prefix('/x')], 'b')],
      [['http://h/'], ['http://h/x'], ['http://h/xy']],
      ['a', 'b', 'a'],
    ],
    [
      'a method before headers before query parameters',
      [
        rule([{ queryParams: [{ name: 'q', value: '1' }] }], 'a'),
        rule([{ headers: [{ name: 'X-Color', value: 'red' }] }], 'b'),
        rule([{ method: 'POST' }], 'c'),
        rule([{}], 'd'),
      ],
      [
        ['http://h/?q=1', { headers: [['x-color', 'red']], method: 'POST' }],
        ['http://h/?q=1', { headers: [['X-COLOR', 'red']] }],
        ['http://h/?q=1&q=2'],
        ['http://h/?q=2&q=1'],
      ],
      ['c', 'b', 'a', 'd'],
    ],
    [
      'more headers',
      [
        rule([{ headers: [{ name: 'a', value: '1' }] }], 'a'),
        rule(
          [
            {
              headers: [
                { name: 'a', value: '1' },
                { name: 'b', value: '2' },
              ],
            },
          ],
          'b',
        ),
      ],
      [
        [
          'http://h/',
          {
            headers: [
              ['a', '1'],
              ['b', '2'],
            ],
          },
        ],
      ],
      ['b'],
    ],
    ['the first rule of equals', [rule([prefix('/')], 'a'), rule([prefix('/')], 'b')], [['http://h/']], ['a']],
    ['one of several matches', [rule([exact('/x'), exact('/y')], 'a')], [['http://h/y'], ['http://h/z']], ['a', '404']],
  ])('%s', (_, rules, requests, expected) => {
    const table = tableOf(...rules);
    expect(requests.map((one) => outcome(table, request(...one)))).toEqual(expected);
  });

  test('the older route, then the name', () => {
    const routes = [httpRoute('b', { rules: [rule([{}], 'b')] }), httpRoute('a', { rules: [rule([{}], 'a')] })];
    const older = httpRoute('z', { rules: [rule([{}], 'c')] }, { createdAt: '2020-01-01T00:00:00Z' });
    expect(outcome(plan({ services, gateways: [gw], routes }).table, request('http://h/'))).toBe('a');
    expect(outcome(plan({ services, gateways: [gw], routes: [...routes, older] }).table, request('http://h/'))).toBe(
      'c',
    );
  });
});

describe('hosts', () => {
  const route = (name: string, hostnames: string[], target: string) =>
    httpRoute(name, { hostnames, rules: [rule([{}], target)] });

  test('the narrower host of routes has precedence; a wildcard matches several labels', () => {
    const routes = [route('x', [], 'a'), route('y', ['*.foo.com'], 'b'), route('z', ['x.foo.com'], 'c')];
    const { table } = plan({ services, gateways: [gw], routes });
    const hosts = ['x.foo.com', 'y.foo.com', 'a.b.foo.com', 'foo.com'];
    expect(hosts.map((host) => outcome(table, request(`http://${host}/`)))).toEqual(['c', 'b', 'b', 'a']);
  });

  test('a request belongs to the listener with the narrowest host alone', () => {
    const listeners = [httpListener({ name: 'any' }), httpListener({ name: 'foo', hostname: '*.foo.com' })];
    const only = httpRoute('r', { parentRefs: [{ name: 'gw', sectionName: 'any' }], rules: [rule([{}], 'a')] });
    const { table } = plan({ services, gateways: [gateway('gw', listeners)], routes: [only] });
    expect(['bar.com', 'x.foo.com'].map((host) => outcome(table, request(`http://${host}/`)))).toEqual(['a', '404']);
  });

  test('a route serves only hosts of its listener', () => {
    const { table } = plan({
      services,
      gateways: [gateway('gw', [httpListener({ hostname: '*.foo.com' })])],
      routes: [route('r', ['x.foo.com', 'bar.com'], 'a')],
    });
    expect(['x.foo.com', 'y.foo.com', 'bar.com'].map((host) => outcome(table, request(`http://${host}/`)))).toEqual([
      'a',
      '404',
      '404',
    ]);
  });

  test('requests that match no Gateway belong to Ingress', () => {
    const { table } = plan({
      services,
      gateways: [gw],
      routes: [route('r', ['foo.com'], 'a')],
      ingresses: [ingress('i', { '/': 'b' })],
    });
    expect(['foo.com', 'bar.com'].map((host) => outcome(table, request(`http://${host}/`)))).toEqual(['a', 'b']);
  });

  test('a connection that was made for a host of another listener is misdirected', () => {
    const tls = (name: string) => ({ certificateRefs: [{ name }] });
    const listeners = ['foo', 'bar'].map((name) => ({
      name,
      hostname: `${name}.com`,
      port: 443,
      protocol: 'HTTPS',
      tls: tls(name),
    }));
    const { table } = plan({
      services,
      gateways: [gateway('gw', listeners)],
      routes: [route('r', [], 'a')],
      secrets: [tlsSecret('foo'), tlsSecret('bar')],
    });
    expect(outcome(table, request('https://foo.com/', { serverName: 'foo.com' }))).toBe('a');
    expect(outcome(table, request('https://foo.com/', { serverName: 'bar.com' }))).toBe('421');
    expect(table.certificatesFor(443, 'bar.com')[0]?.certificate).toContain('bar');
    expect(table.certificatesFor(443, 'other.com')).toEqual([]);
  });
});

describe('filters', () => {
  const redirect = (requestRedirect: object) => ({ type: 'RequestRedirect', requestRedirect });
  test.each<[string, object, string, string]>([
    ['scheme', { scheme: 'https' }, 'http://foo.com/x?q', '302 https://foo.com/x?q'],
    ['host name and status', { hostname: 'bar.com', statusCode: 301 }, 'http://foo.com/x', '301 http://bar.com/x'],
    ['port', { port: 8443, scheme: 'https' }, 'http://foo.com/', '302 https://foo.com:8443/'],
    [
      'full path',
      { path: { type: 'ReplaceFullPath', replaceFullPath: '/new' } },
      'http://foo.com/x/y',
      '302 http://foo.com/new',
    ],
    [
      'prefix',
      { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/new' } },
      'http://foo.com/x/y',
      '302 http://foo.com/new/y',
    ],
    [
      'prefix away',
      { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } },
      'http://foo.com/x',
      '302 http://foo.com/',
    ],
  ])('redirect: %s', (_, fields, url, expected) => {
    const table = tableOf({ matches: [prefix('/x'), prefix('/')], filters: [redirect(fields)] });
    expect(outcome(table, request(url))).toBe(expected);
  });

  test('a listener port that is not usual stays in the location', () => {
    const routes = [httpRoute('r', { rules: [{ filters: [redirect({ hostname: 'bar.com' })] }] })];
    const { table } = plan({ services, gateways: [gateway('gw', [httpListener({ port: 8080 })])], routes });
    expect(outcome(table, request('http://foo.com:8080/'))).toBe('302 http://bar.com:8080/');
  });

  test('headers are set, added and removed in both directions, and the URL is rewritten', () => {
    const change = { set: [{ name: 'X-Set', value: '1' }], add: [{ name: 'X-Add', value: '2' }], remove: ['X-Gone'] };
    const table = tableOf({
      matches: [prefix('/x')],
      filters: [
        { type: 'RequestHeaderModifier', requestHeaderModifier: change },
        {
          type: 'URLRewrite',
          urlRewrite: { hostname: 'in.side', path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/y/' } },
        },
      ],
      backendRefs: [to('a', { filters: [{ type: 'ResponseHeaderModifier', responseHeaderModifier: change }] })],
    });
    const sent = [
      ['x-set', '0'],
      ['x-add', '1'],
      ['x-gone', '1'],
      ['other', '1'],
    ] as const;
    const decision = decide(table, request('http://h/x/z?q', { headers: sent }), { next: () => 0 });
    if (decision.kind !== 'forward') throw new Error(`it is not forwarded but answered with ${decision.status}`);
    const changed = [
      ['x-add', '1'],
      ['other', '1'],
      ['x-set', '1'],
      ['x-add', '2'],
    ];
    expect(decision.head).toMatchObject({ authority: 'in.side', path: '/y/z', query: 'q', headers: changed });
    expect(decision.responseHeaders(sent)).toEqual(changed);
  });

  test('a share of the requests is mirrored', () => {
    const requestMirror = { backendRef: to('b'), percent: 30 };
    const table = tableOf({ filters: [{ type: 'RequestMirror', requestMirror }], backendRefs: [to('a')] });
    const mirrors = (random: number) => {
      const decision = decide(table, request('http://h/'), { next: () => random });
      return decision.kind === 'forward' ? decision.mirrors.map((one) => one.service) : [];
    };
    expect([mirrors(0.29), mirrors(0.31)]).toEqual([['default/b'], []]);
  });
});

test('backends by weight; one that is not valid has its share of failures', () => {
  const table = tableOf({
    backendRefs: [to('a', { weight: 1 }), to('gone', { weight: 2 }), to('b', { weight: 1 }), to('c', { weight: 0 })],
  });
  expect([0, 0.24, 0.26, 0.74, 0.76, 0.99].map((random) => outcome(table, request('http://h/'), random))).toEqual([
    'a',
    'a',
    '500',
    '500',
    'b',
    'b',
  ]);
  expect(outcome(tableOf({ backendRefs: [to('a', { weight: 0 })] }), request('http://h/'))).toBe('500');
  expect(outcome(tableOf({}), request('http://h/'))).toBe('500');
});

test('timeouts and the protocol of a backend', () => {
  const table = plan({
    services: [service('g', { appProtocol: 'kubernetes.io/h2c' })],
    gateways: [gw],
    routes: [
      httpRoute('r', { rules: [{ backendRefs: [to('g')], timeouts: { request: '1m30s', backendRequest: '500ms' } }] }),
    ],
  }).table;
  expect(decide(table, request('http://h/'), { next: () => 0 })).toMatchObject({
    target: { protocol: 'h2c' },
    timeouts: { requestMs: 90_000, backendMs: 500 },
  });
});
