import type { BackendFailure, BackendTarget, HeaderModifier, PathModifier, RouteFilter } from '../routes/route.js';
import type { BackendReference, HttpFilter, HttpHeaderFilter } from './gateway-types.js';
import type { ConditionProblem } from './validate-listeners.js';

export interface TranslatedFilters {
  readonly filters: readonly RouteFilter[];
  /** An unsupported filter: the rule must not be served without it. */
  readonly unsupported?: ConditionProblem;
  /** A mirror that leads nowhere; the others hold. */
  readonly unresolved?: ConditionProblem;
}

type Resolve = (ref: BackendReference) => {
  readonly target: BackendTarget | BackendFailure;
  readonly problem?: ConditionProblem;
};

export function translateFilters(filters: readonly HttpFilter[] | undefined, resolve: Resolve): TranslatedFilters {
  const translated: RouteFilter[] = [];
  let unresolved: ConditionProblem | undefined;
  for (const filter of filters ?? []) {
    if (filter.type === 'RequestMirror' && filter.requestMirror) {
      const { target, problem } = resolve(filter.requestMirror.backendRef);
      unresolved ??= problem;
      if (!('status' in target))
        translated.push({ type: 'RequestMirror', target, share: shareOf(filter.requestMirror) });
      continue;
    }
    const one = translateFilter(filter);
    if (!one) {
      const message = `filter ${filter.type} is not supported`;
      return { filters: [], unsupported: { reason: 'UnsupportedValue', message } };
    }
    translated.push(one);
  }
  const types = translated.map(({ type }) => type);
  if (types.includes('RequestRedirect') && types.includes('URLRewrite')) {
    const message = 'a redirect and a rewrite cannot stand in one rule';
    return { filters: [], unsupported: { reason: 'IncompatibleFilters', message } };
  }
  return { filters: translated, ...(unresolved && { unresolved }) };
}

function translateFilter(filter: HttpFilter): RouteFilter | undefined {
  const { requestHeaderModifier, responseHeaderModifier, requestRedirect, urlRewrite } = filter;
  if (filter.type === 'RequestHeaderModifier')
    return { type: 'RequestHeaderModifier', modifier: headerModifier(requestHeaderModifier) };
  if (filter.type === 'ResponseHeaderModifier')
    return { type: 'ResponseHeaderModifier', modifier: headerModifier(responseHeaderModifier) };
  if (filter.type === 'RequestRedirect' && requestRedirect) {
    const { path, statusCode = 302, ...rest } = requestRedirect;
    return { type: 'RequestRedirect', ...rest, status: statusCode, ...pathModifier(path) };
  }
  if (filter.type === 'URLRewrite' && urlRewrite) {
    const { path, ...rest } = urlRewrite;
    return { type: 'URLRewrite', ...rest, ...pathModifier(path) };
  }
  return undefined;
}

function headerModifier({ set = [], add = [], remove = [] }: HttpHeaderFilter = {}): HeaderModifier {
  const lower = (list: readonly { readonly name: string; readonly value: string }[]) =>
    list.map(({ name, value }) => ({ name: name.toLowerCase(), value }));
  return { set: lower(set), add: lower(add), remove: remove.map((name) => name.toLowerCase()) };
}

type PathOf = NonNullable<HttpFilter['urlRewrite']>['path'];

function pathModifier(path: PathOf): { readonly path?: PathModifier } {
  if (path?.type === 'ReplaceFullPath')
    return { path: { type: 'ReplaceFullPath', value: path.replaceFullPath || '/' } };
  if (path?.type === 'ReplacePrefixMatch')
    return { path: { type: 'ReplacePrefixMatch', value: path.replacePrefixMatch || '/' } };
  return {};
}

function shareOf({ percent, fraction }: NonNullable<HttpFilter['requestMirror']>): number {
  if (fraction) return fraction.numerator / (fraction.denominator ?? 100);
  return percent === undefined ? 1 : percent / 100;
}
