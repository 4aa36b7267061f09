import { expect, test } from 'vitest';
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
import { planStatuses } from '../plan-statuses.js';
import type { Condition, Gateway, HttpRoute, HttpRule } from './gateway-types.js';

type Objects = Parameters<typeof plan>[0];
const services = [service('a'), service('far', { namespace: 'team' })];
const to = (name: string, more = {}) => ({ name, port: 80, ...more });
const tlsListener = (certificateRefs: object[], more = {}) => ({
  name: 'tls',
  port: 443,
  protocol: 'HTTPS',
  tls: { certificateRefs: certificateRefs as { name: string }[] },
  ...more,
});

/** `Type=Status:Reason`, sorted. */
const inShort = (conditions: readonly Condition[] | undefined) =>
  (conditions ?? []).map(({ type, status, reason }) => `${type}=${status}:${reason}`).sort();

function statuses(objects: Objects, failedPorts = new Map<number, string>()) {
  const view = { addresses: ['192.0.2.1'], failedPorts, now: 0 };
  const writes = planStatuses(plan({ services, ...objects }), objects.routes ?? [], view);
  const of = (resource: string) => writes.find(({ ref }) => ref.resource === resource)?.object;
  return { gateway: of('gateways') as Gateway | undefined, route: of('httproutes') as HttpRoute | undefined, writes };
}

test('a Gateway with a route', () => {
  const {
    gateway: gw,
    route,
    writes,
  } = statuses({
    gateways: [gateway('gw', [httpListener()])],
    routes: [httpRoute('r', { rules: [{ backendRefs: [to('a')] }] })],
  });
  expect(gw?.status?.addresses).toEqual([{ type: 'IPAddress', value: '192.0.2.1' }]);
  expect(inShort(gw?.status?.conditions)).toEqual(['Accepted=True:Accepted', 'Programmed=True:Programmed']);
  expect(gw?.status?.conditions?.[0]).toMatchObject({
    observedGeneration: 1,
    lastTransitionTime: '1970-01-01T00:00:00Z',
  });
  expect(gw?.status?.listeners).toMatchObject([
    { name: 'http', attachedRoutes: 1, supportedKinds: [{ kind: 'HTTPRoute' }] },
  ]);
  expect(route?.status?.parents).toMatchObject([
    { parentRef: { name: 'gw' }, controllerName: 'coracle.dev/gateway-controller' },
  ]);
  expect(inShort(route?.status?.parents?.[0]?.conditions)).toEqual([
    'Accepted=True:Accepted',
    'ResolvedRefs=True:ResolvedRefs',
  ]);
  expect(writes.map(({ ref }) => ref.resource)).toEqual(['gatewayclasses', 'gateways', 'httproutes']);
});

test('unchanged statuses are not written again', () => {
  const objects = { gateways: [gateway('gw', [httpListener()])], routes: [httpRoute('r', {})] };
  const first = statuses(objects);
  const again = { gateways: [first.gateway as Gateway], routes: [first.route as HttpRoute] };
  expect(statuses(again).writes.map(({ ref }) => ref.resource)).toEqual(['gatewayclasses']);
});

test.each<[string, Objects, Gateway['spec'] & object, string[], string[]]>([
  [
    'a protocol that is not served',
    {},
    { listeners: [{ name: 'x', port: 53, protocol: 'UDP' }] },
    ['Accepted=True:ListenersNotValid', 'Programmed=False:Invalid'],
    [
      'Accepted=False:UnsupportedProtocol',
      'Conflicted=False:NoConflicts',
      'Programmed=False:Invalid',
      'ResolvedRefs=True:ResolvedRefs',
    ],
  ],
  [
    'a secret that is not there',
    {},
    { listeners: [tlsListener([{ name: 'gone' }])] },
    ['Accepted=True:ListenersNotValid', 'Programmed=False:Invalid'],
    [
      'Accepted=True:Accepted',
      'Conflicted=False:NoConflicts',
      'Programmed=False:Invalid',
      'ResolvedRefs=False:InvalidCertificateRef',
    ],
  ],
  [
    'a secret of another namespace',
    { secrets: [tlsSecret('s', 'team')] },
    { listeners: [tlsListener([{ name: 's', namespace: 'team' }])] },
    ['Accepted=True:ListenersNotValid', 'Programmed=False:Invalid'],
    [
      'Accepted=True:Accepted',
      'Conflicted=False:NoConflicts',
      'Programmed=False:Invalid',
      'ResolvedRefs=False:RefNotPermitted',
    ],
  ],
  [
    'a secret of another namespace with a grant',
    {
      secrets: [tlsSecret('s', 'team')],
      grants: [
        {
          metadata: { name: 'g', namespace: 'team' },
          spec: {
            from: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'default' }],
            to: [{ group: '', kind: 'Secret' }],
          },
        },
      ],
    },
    { listeners: [tlsListener([{ name: 's', namespace: 'team' }])] },
    ['Accepted=True:Accepted', 'Programmed=True:Programmed'],
    [
      'Accepted=True:Accepted',
      'Conflicted=False:NoConflicts',
      'Programmed=True:Programmed',
      'ResolvedRefs=True:ResolvedRefs',
    ],
  ],
  [
    'a kind of routes that is not served',
    {},
    { listeners: [httpListener({ allowedRoutes: { kinds: [{ kind: 'TCPRoute' }] } })] },
    ['Accepted=True:ListenersNotValid', 'Programmed=False:Invalid'],
    [
      'Accepted=True:Accepted',
      'Conflicted=False:NoConflicts',
      'Programmed=False:Invalid',
      'ResolvedRefs=False:InvalidRouteKinds',
    ],
  ],
  [
    'an address that is not ours',
    {},
    { addresses: [{ value: '203.0.113.1' }], listeners: [httpListener()] },
    ['Accepted=False:UnsupportedAddress', 'Programmed=False:Invalid'],
    [
      'Accepted=True:Accepted',
      'Conflicted=False:NoConflicts',
      'Programmed=True:Programmed',
      'ResolvedRefs=True:ResolvedRefs',
    ],
  ],
])('a Gateway with %s', (_, objects, spec, expected, wantedOfListener) => {
  const { gateway: gw } = statuses({ ...objects, gateways: [gateway('gw', [], spec)] });
  expect(inShort(gw?.status?.conditions)).toEqual(expected);
  expect(inShort(gw?.status?.listeners?.[0]?.conditions)).toEqual(wantedOfListener);
});

test('listeners that conflict, and a port in use', () => {
  const listeners = [httpListener(), httpListener({ name: 'same' }), tlsListener([], { name: 'mixed', port: 80 })];
  const { gateway: gw } = statuses({ gateways: [gateway('gw', listeners)] });
  expect(
    gw?.status?.listeners?.map(({ conditions }) => inShort(conditions).find((one) => one.startsWith('Conflicted'))),
  ).toEqual(['Conflicted=False:NoConflicts', 'Conflicted=True:HostnameConflict', 'Conflicted=True:ProtocolConflict']);
  const taken = statuses(
    { gateways: [gateway('gw', [httpListener()])], ingresses: [ingress('i', { '/': 'a' })] },
    new Map([[80, 'in use']]),
  );
  expect(inShort(taken.gateway?.status?.listeners?.[0]?.conditions)).toContain('Accepted=False:PortUnavailable');
  expect(taken.writes.find(({ ref }) => ref.resource === 'ingresses')?.object).toMatchObject({
    status: { loadBalancer: {} },
  });
});

const rules = (...own: HttpRule[]) => ({ rules: own });
test.each<[string, HttpRoute, string[]]>([
  [
    'no such listener',
    httpRoute('r', { parentRefs: [{ name: 'gw', sectionName: 'x' }] }),
    ['Accepted=False:NoMatchingParent', 'ResolvedRefs=True:ResolvedRefs'],
  ],
  [
    'another port',
    httpRoute('r', { parentRefs: [{ name: 'gw', port: 81 }] }),
    ['Accepted=False:NoMatchingParent', 'ResolvedRefs=True:ResolvedRefs'],
  ],
  [
    'a namespace that is not allowed',
    httpRoute('r', {}, { namespace: 'team' }),
    ['Accepted=False:NotAllowedByListeners', 'ResolvedRefs=True:ResolvedRefs'],
  ],
  [
    'no common host',
    httpRoute('r', { hostnames: ['bar.com'] }),
    ['Accepted=False:NoMatchingListenerHostname', 'ResolvedRefs=True:ResolvedRefs'],
  ],
  [
    'no such service',
    httpRoute('r', rules({ backendRefs: [to('gone')] })),
    ['Accepted=True:Accepted', 'ResolvedRefs=False:BackendNotFound'],
  ],
  [
    'another kind of backend',
    httpRoute('r', rules({ backendRefs: [to('a', { kind: 'Bucket', group: 's3' })] })),
    ['Accepted=True:Accepted', 'ResolvedRefs=False:InvalidKind'],
  ],
  [
    'a backend of another namespace',
    httpRoute('r', rules({ backendRefs: [to('far', { namespace: 'team' })] })),
    ['Accepted=True:Accepted', 'ResolvedRefs=False:RefNotPermitted'],
  ],
  [
    'a regular expression',
    httpRoute('r', rules({ matches: [{ path: { type: 'RegularExpression', value: '/x+' } }] })),
    ['Accepted=False:UnsupportedValue', 'ResolvedRefs=True:ResolvedRefs'],
  ],
  [
    'a regular expression in one of two rules',
    httpRoute(
      'r',
      rules(
        { matches: [{ headers: [{ type: 'RegularExpression', name: 'a', value: 'x+' }] }] },
        { backendRefs: [to('a')] },
      ),
    ),
    ['Accepted=True:Accepted', 'PartiallyInvalid=True:UnsupportedValue', 'ResolvedRefs=True:ResolvedRefs'],
  ],
  [
    'a filter of another implementation',
    httpRoute('r', rules({ filters: [{ type: 'ExtensionRef' }] })),
    ['Accepted=False:UnsupportedValue', 'ResolvedRefs=True:ResolvedRefs'],
  ],
  [
    'filters that exclude each other',
    httpRoute(
      'r',
      rules({
        filters: [
          { type: 'RequestRedirect', requestRedirect: {} },
          { type: 'URLRewrite', urlRewrite: {} },
        ],
      }),
    ),
    ['Accepted=False:IncompatibleFilters', 'ResolvedRefs=True:ResolvedRefs'],
  ],
])('a route with %s', (_, route, expected) => {
  const { route: written } = statuses({
    gateways: [gateway('gw', [httpListener({ hostname: '*.foo.com' })])],
    routes: [route],
  });
  expect(inShort(written?.status?.parents?.[0]?.conditions)).toEqual(expected);
});

test('namespaces are allowed by a selector, and a selector that is not valid allows none', () => {
  const from = (selector: object) => [httpListener({ allowedRoutes: { namespaces: { from: 'Selector', selector } } })];
  const route = httpRoute('r', rules({ backendRefs: [to('far')] }), { namespace: 'team' });
  const reach = (selector: object) =>
    outcome(
      plan({
        services,
        gateways: [gateway('gw', from(selector))],
        routes: [route],
        namespaces: { team: { color: 'red' } },
      }).table,
      request('http://h/'),
    );
  expect(reach({ matchLabels: { color: 'red' } })).toBe('team/far');
  expect(reach({ matchLabels: { color: 'blue' } })).toBe('404');
  expect(reach({ matchExpressions: [{ key: 'color', operator: 'Bad' }] })).toBe('404');
});

test('statuses of other controllers stay, and those of removed parents are dropped', () => {
  const other = { parentRef: { name: 'x' }, controllerName: 'example.com/other', conditions: [] };
  const own = { parentRef: { name: 'gw' }, controllerName: 'coracle.dev/gateway-controller', conditions: [] };
  const route: HttpRoute = { ...httpRoute('r', { parentRefs: [{ name: 'x' }] }), status: { parents: [other, own] } };
  expect(statuses({ gateways: [gateway('gw', [httpListener()])], routes: [route] }).route?.status?.parents).toEqual([
    other,
  ]);
});

test('a class with parameters is not accepted, and its Gateways are ignored', () => {
  const { writes } = statuses({ gateways: [gateway('gw', [httpListener()])], parametersRef: { name: 'x' } });
  expect(writes.map(({ object }) => inShort((object as Gateway).status?.conditions))).toEqual([
    ['Accepted=False:InvalidParameters'],
  ]);
});
