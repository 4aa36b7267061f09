import type { BackendFailure, BackendTarget, Route, RouteMatch, WeightedBackend } from '../routes/route.js';
import { serviceTarget } from '../service-target.js';
import { durationMs } from './duration.js';
import { type BackendReference, gatewayGroup, type HttpMatch, type HttpRoute, type HttpRule } from './gateway-types.js';
import type { GatewayWorld } from './gateway-world.js';
import { isGranted } from './reference-grants.js';
import { translateFilters } from './translate-filters.js';
import type { ConditionProblem } from './validate-listeners.js';

/** A rule as in the router, for any host. */
export interface TranslatedRoute {
  readonly rules: readonly Omit<Route, 'hostname'>[];
  /** The first value that this router does not do; its rules are left out. */
  readonly unsupported: ConditionProblem | undefined;
  readonly unresolved: ConditionProblem | undefined;
}

const methodsAndMore = { headers: 'headers', query: 'query parameters' } as const;

export function translateRoute(route: HttpRoute, world: GatewayWorld): TranslatedRoute {
  const problems: { unsupported?: ConditionProblem | undefined; unresolved?: ConditionProblem | undefined } = {};
  const rules = (route.spec?.rules ?? [{}]).flatMap((rule, index) => {
    const translated = translateRule(route, rule, world);
    problems.unsupported ??= translated.unsupported;
    problems.unresolved ??= translated.unresolved;
    if (translated.unsupported) return [];
    const { createdAt, key } = originOf(route);
    return translated.matches.map((match) => ({
      match,
      action: translated.action,
      oneLabel: false,
      isDefault: false,
      origin: { createdAt, key, rule: index },
    }));
  });
  return { rules, unsupported: problems.unsupported, unresolved: problems.unresolved };
}

function originOf({ metadata }: HttpRoute): { readonly createdAt: string; readonly key: string } {
  return { createdAt: metadata.creationTimestamp ?? '', key: `${metadata.namespace}/${metadata.name}` };
}

function translateRule(route: HttpRoute, rule: HttpRule, world: GatewayWorld) {
  const resolve = (ref: BackendReference) => resolveBackend(route, ref, world);
  const own = translateFilters(rule.filters, resolve);
  const backends = (rule.backendRefs ?? []).map((ref) => {
    const { target, problem } = resolve(ref);
    const { filters, unsupported, unresolved } = translateFilters(ref.filters, resolve);
    const backend: WeightedBackend = { weight: ref.weight ?? 1, target, filters };
    return { backend, unsupported, unresolved: problem ?? unresolved };
  });
  const matches = (rule.matches ?? [{}]).map(translateMatch);
  const { request, backendRequest } = rule.timeouts ?? {};
  const [requestMs, backendMs] = [durationMs(request), durationMs(backendRequest)];
  const first = (name: 'unsupported' | 'unresolved') =>
    own[name] ?? backends.map((one) => one[name]).find((problem) => problem !== undefined);
  return {
    matches: matches.flatMap(({ match }) => (match ? [match] : [])),
    action: {
      filters: own.filters,
      backends: backends.map(({ backend }) => backend),
      timeouts: { ...(requestMs && { requestMs }), ...(backendMs && { backendMs }) },
    },
    unsupported: first('unsupported') ?? matches.map(({ problem }) => problem).find((problem) => problem !== undefined),
    unresolved: first('unresolved'),
  };
}

/** Regular expressions are not supported: one that is written badly would hold up every request. */
function translateMatch(match: HttpMatch): { readonly match?: RouteMatch; readonly problem?: ConditionProblem } {
  const { path = {}, method, headers = [], queryParams = [] } = match;
  const { type = 'PathPrefix', value = '/' } = path;
  const inexact = { headers, query: queryParams };
  for (const name of ['headers', 'query'] as const) {
    const other = inexact[name].find((one) => (one.type ?? 'Exact') !== 'Exact');
    if (other) return { problem: unsupportedMatch(`${other.type} in ${methodsAndMore[name]}`) };
  }
  if (type !== 'PathPrefix' && type !== 'Exact') return { problem: unsupportedMatch(`${type} in paths`) };
  return {
    match: {
      path: { type: type === 'Exact' ? 'Exact' : 'Prefix', value },
      ...(method && { method }),
      headers: firstOfEach(headers.map((one) => ({ name: one.name.toLowerCase(), value: one.value }))),
      query: firstOfEach(queryParams.map((one) => ({ name: one.name, value: one.value }))),
    },
  };
}

function unsupportedMatch(what: string): ConditionProblem {
  return { reason: 'UnsupportedValue', message: `matches of type ${what} are not supported` };
}

/** Of several matches with one name the first counts. */
function firstOfEach<T extends { readonly name: string }>(list: readonly T[]): T[] {
  return list.filter(({ name }, index) => list.findIndex((one) => one.name === name) === index);
}

function resolveBackend(
  { metadata }: HttpRoute,
  ref: BackendReference,
  world: GatewayWorld,
): { readonly target: BackendTarget | BackendFailure; readonly problem?: ConditionProblem } {
  const { group = '', kind = 'Service', name, namespace = metadata.namespace ?? '', port } = ref;
  const fail = (reason: string, message: string) => ({
    target: { status: 500 as const, reason: message },
    problem: { reason, message },
  });
  if (group !== '' || kind !== 'Service') return fail('InvalidKind', `backends of kind ${kind} are not supported`);
  const from = { group: gatewayGroup, kind: 'HTTPRoute', namespace: metadata.namespace ?? '' };
  if (!isGranted({ from, to: { group, kind, namespace, name } }, world.grants))
    return fail('RefNotPermitted', `no ReferenceGrant allows to refer to service ${namespace}/${name}`);
  const service = world.serviceOf(namespace, name);
  if (!service) return fail('BackendNotFound', `service ${namespace}/${name} does not exist`);
  const target = port === undefined ? undefined : serviceTarget(service, { number: port });
  return target ? { target } : fail('BackendNotFound', `service ${namespace}/${name} has no port ${port ?? ''}`);
}
