import type { networkingv1, Secret, Service } from '@coracle/api';
import type { Gateway, HttpRoute } from './gateway/gateway-types.js';
import { gatewayControllerName } from './gateway/gateway-world.js';
import { ingressControllerName } from './ingress/own-ingresses.js';
import { planRouting, type RoutingWorld } from './plan-routing.js';
import { type Decision, decide } from './requests/decide.js';
import type { HeaderPair, RequestHead } from './routes/request-head.js';
import type { RoutingTable } from './routes/routing-table.js';

const created = '2026-01-01T00:00:00Z';

export function service(name: string, more: { namespace?: string; appProtocol?: string; type?: string } = {}): Service {
  const { namespace = 'default', appProtocol, type = 'ClusterIP' } = more;
  return {
    metadata: { name, namespace },
    spec: { type, ports: [{ name: 'http', port: 80, ...(appProtocol && { appProtocol }) }] },
  };
}

export function tlsSecret(name: string, namespace = 'default'): Secret {
  const data = {
    'tls.crt': btoa(`-----BEGIN CERTIFICATE-----${name}`),
    'tls.key': btoa('-----BEGIN PRIVATE KEY-----'),
  };
  return { metadata: { name, namespace }, type: 'kubernetes.io/tls', data };
}

type IngressSpec = NonNullable<networkingv1.Ingress['spec']>;

export const backend = (name: string): IngressSpec['defaultBackend'] => ({ service: { name, port: { number: 80 } } });

/** `{ 'host/path': 'service' }`; paths are prefixes unless they end in `$`. */
export function ingress(name: string, paths: Record<string, string>, more: Partial<IngressSpec> = {}) {
  const rules = Object.entries(paths).map(([key, target]) => {
    const at = key.indexOf('/');
    const exact = key.endsWith('$');
    const path = exact ? key.slice(at, -1) : key.slice(at);
    const own = { path, pathType: exact ? 'Exact' : 'Prefix', backend: backend(target) ?? {} };
    return { ...(at > 0 && { host: key.slice(0, at) }), http: { paths: [own] } };
  });
  const spec: IngressSpec = { ingressClassName: 'coracle', ...(rules.length > 0 && { rules }), ...more };
  const made: networkingv1.Ingress = { metadata: { name, namespace: 'default', creationTimestamp: created }, spec };
  return made;
}

export const ingressClasses: networkingv1.IngressClass[] = [
  { metadata: { name: 'coracle' }, spec: { controller: ingressControllerName } },
  { metadata: { name: 'nginx' }, spec: { controller: 'k8s.io/ingress-nginx' } },
];

export function gateway(
  name: string,
  listeners: NonNullable<Gateway['spec']>['listeners'] & object,
  more = {},
): Gateway {
  return {
    metadata: { name, namespace: 'default', generation: 1, creationTimestamp: created },
    spec: { gatewayClassName: 'coracle', listeners, ...more },
  };
}

export const httpListener = (more = {}) => ({ name: 'http', port: 80, protocol: 'HTTP', ...more });

export function httpRoute(
  name: string,
  spec: HttpRoute['spec'],
  more: { namespace?: string; createdAt?: string } = {},
) {
  const { namespace = 'default', createdAt = created } = more;
  const route: HttpRoute = {
    metadata: { name, namespace, generation: 1, creationTimestamp: createdAt },
    spec: { parentRefs: [{ name: 'gw', ...(namespace !== 'default' && { namespace: 'default' }) }], ...spec },
  };
  return route;
}

interface Objects {
  readonly ingresses?: readonly networkingv1.Ingress[];
  readonly services?: readonly Service[];
  readonly secrets?: readonly Secret[];
  readonly gateways?: readonly Gateway[];
  readonly routes?: readonly HttpRoute[];
  readonly grants?: NonNullable<RoutingWorld['gateway']>['grants'];
  readonly namespaces?: Readonly<Record<string, Record<string, string>>>;
  readonly parametersRef?: object;
}

export function world(objects: Objects): RoutingWorld {
  const { ingresses = [], services = [], secrets = [], gateways = [], routes = [], grants = [] } = objects;
  const find =
    <T extends Service | Secret>(list: readonly T[]) =>
    (namespace: string, name: string) =>
      list.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const shared = { serviceOf: find(services), secretOf: find(secrets) };
  const { parametersRef, namespaces = {} } = objects;
  const spec = { controllerName: gatewayControllerName, ...(parametersRef && { parametersRef }) };
  const classes = [{ metadata: { name: 'coracle', generation: 1 }, spec }];
  const namespaceOf = (name: string) => ({ metadata: { name, labels: namespaces[name] ?? {} } });
  return {
    ...shared,
    ingresses,
    ingressClasses,
    gateway: { ...shared, classes, gateways, routes, grants, namespaceOf },
  };
}

export function plan(objects: Objects) {
  return planRouting(world(objects));
}

/** `GET http://host/path?query`; what is not stated is usual. */
export function request(
  url: string,
  more: Partial<RequestHead> & { headers?: readonly HeaderPair[] } = {},
): RequestHead {
  const { protocol, host, port, pathname, search } = new URL(url);
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const usual = {
    method: 'GET',
    scheme,
    authority: host,
    path: pathname,
    query: search.slice(1),
    headers: [],
  } as const;
  return { ...usual, port: Number(port) || (scheme === 'https' ? 443 : 80), ...more };
}

/** The target of a request, in short: a service, a status code, or a redirect. */
export function outcome(table: RoutingTable, head: RequestHead, random = 0): string {
  return inShort(decide(table, head, { next: () => random }));
}

function inShort(decision: Decision): string {
  if (decision.kind === 'forward') return decision.target.service.replace('default/', '');
  const location = decision.headers.find(([name]) => name === 'location')?.[1];
  return location ? `${decision.status} ${location}` : String(decision.status);
}
