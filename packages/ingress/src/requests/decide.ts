import type { Random } from '@coracle/base';
import type { HeaderPair, RequestHead } from '../routes/request-head.js';
import {
  type BackendTarget,
  isFailure,
  type Route,
  type RouteTimeouts,
  type WeightedBackend,
} from '../routes/route.js';
import type { RoutingTable } from '../routes/routing-table.js';
import { modifyHeaders, redirectLocation, rewriteRequest } from './apply-filters.js';

/** The action for a request. */
export type Decision =
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly headers: readonly HeaderPair[];
      /** For people. */
      readonly text: string;
    }
  | {
      readonly kind: 'forward';
      readonly target: BackendTarget;
      /** As the backend gets it. */
      readonly head: RequestHead;
      readonly timeouts: RouteTimeouts;
      /** Backends that get a copy of the request, and whose responses are ignored. */
      readonly mirrors: readonly BackendTarget[];
      responseHeaders(headers: readonly HeaderPair[]): readonly HeaderPair[];
    };

const reasons: Readonly<Record<number, string>> = {
  404: 'no route matches this request',
  421: 'this connection was made for another host',
  500: 'the backend of this route is not valid',
  503: 'the service has no endpoints',
};

/** A response of the router itself. */
export function respond(status: number, text = reasons[status] ?? ''): Extract<Decision, { kind: 'respond' }> {
  return { kind: 'respond', status, headers: [['content-type', 'text/plain; charset=utf-8']], text };
}

/** Decides on one request: pure but for the choice among weighted backends. */
export function decide(table: RoutingTable, head: RequestHead, random: Random): Decision {
  const found = table.find(head);
  if (found.kind === 'none') return respond(404);
  if (found.kind === 'misdirected') return respond(421);
  const { route } = found;
  const redirect = route.action.filters.find((filter) => filter.type === 'RequestRedirect');
  if (redirect?.type === 'RequestRedirect') {
    const location = redirectLocation(head, redirect, route.match);
    const headers = responseHeaders(route, [], [['location', location]]);
    return { kind: 'respond', status: redirect.status, headers, text: '' };
  }
  return forward(route, head, random);
}

function forward({ action, match, ...route }: Route, head: RequestHead, random: Random): Decision {
  const backend = pickBackend(action.backends, random);
  if (!backend) return respond(500);
  if (isFailure(backend.target)) return respond(backend.target.status, backend.target.reason);
  const filters = [...action.filters, ...backend.filters];
  return {
    kind: 'forward',
    target: backend.target,
    head: rewriteRequest(head, filters, match),
    timeouts: action.timeouts,
    mirrors: filters.flatMap((one) => (one.type === 'RequestMirror' && random.next() < one.share ? [one.target] : [])),
    responseHeaders: (headers) => responseHeaders({ action, match, ...route }, backend.filters, headers),
  };
}

function responseHeaders(
  { action }: Route,
  more: WeightedBackend['filters'],
  headers: readonly HeaderPair[],
): readonly HeaderPair[] {
  let next = headers;
  for (const filter of [...action.filters, ...more])
    if (filter.type === 'ResponseHeaderModifier') next = modifyHeaders(next, filter.modifier);
  return next;
}

function pickBackend(backends: readonly WeightedBackend[], random: Random): WeightedBackend | undefined {
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  if (total <= 0) return undefined;
  let left = random.next() * total;
  for (const backend of backends) {
    left -= backend.weight;
    if (left < 0) return backend;
  }
  return backends.findLast(({ weight }) => weight > 0);
}
