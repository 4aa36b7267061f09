import type { networkingv1, Service } from '@coracle/api';
import type { BackendFailure, BackendTarget, Route, RouteMatch } from '../routes/route.js';
import { serviceTarget } from '../service-target.js';

type Ingress = networkingv1.Ingress;
type Backend = NonNullable<NonNullable<Ingress['spec']>['defaultBackend']>;

const everyPath: RouteMatch = { path: { type: 'Prefix', value: '/' }, headers: [], query: [] };

/**
 * The routes of an Ingress. Its default backend serves what no rule matches: of its own hosts before the default
 * backends of others, and of every other host after those of Ingresses without rules.
 */
export function ingressRoutes(
  ingress: Ingress,
  serviceOf: (namespace: string, name: string) => Service | undefined,
): Route[] {
  const { metadata, spec = {} } = ingress;
  const namespace = metadata.namespace ?? '';
  const route = (
    hostname: string,
    rule: number,
    one: Pick<Route, 'match' | 'isDefault' | 'yields'> & { backend: Backend },
  ) => ({
    hostname: hostname.toLowerCase(),
    oneLabel: true,
    match: one.match,
    isDefault: one.isDefault,
    ...(one.yields && { yields: true }),
    action: {
      filters: [],
      timeouts: {},
      backends: [{ weight: 1, target: targetOf(one.backend, namespace, serviceOf), filters: [] }],
    },
    origin: { createdAt: metadata.creationTimestamp ?? '', key: `${namespace}/${metadata.name}`, rule },
  });
  const rules = spec.rules ?? [];
  const paths = rules.flatMap(({ host = '', http }, rule) =>
    (http?.paths ?? []).map(({ path = '', pathType, backend }) => {
      const type = pathType === 'Exact' ? 'Exact' : 'Prefix';
      const match: RouteMatch = { path: { type, value: path || '/' }, headers: [], query: [] };
      return route(host, rule, { match, isDefault: false, backend });
    }),
  );
  const { defaultBackend: backend } = spec;
  if (!backend) return paths;
  const hosts = [...new Set([...rules.map(({ host = '' }) => host), ''])];
  const ownsEvery = rules.length === 0 || rules.some(({ host = '' }) => host === '');
  return [
    ...paths,
    ...hosts.map((host, rule) => {
      const yields = host === '' && !ownsEvery;
      return route(host, rule, { match: everyPath, isDefault: true, yields, backend });
    }),
  ];
}

function targetOf(
  { service, resource }: Backend,
  namespace: string,
  serviceOf: (namespace: string, name: string) => Service | undefined,
): BackendTarget | BackendFailure {
  if (!service)
    return { status: 503, reason: `backends of kind ${resource?.kind ?? 'unknown'} are not served by this router` };
  const found = serviceOf(namespace, service.name);
  const missing = (what: string): BackendFailure => ({ status: 503, reason: `${what} does not exist` });
  if (!found) return missing(`service ${namespace}/${service.name}`);
  const { name, number } = service.port ?? {};
  const target = serviceTarget(found, { ...(name && { name }), ...(number && { number }) });
  return target ?? missing(`port ${name ?? number} of service ${namespace}/${service.name}`);
}
